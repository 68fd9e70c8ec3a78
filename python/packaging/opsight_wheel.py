"""Makes the package installable with pip alone: no setuptools, no wheel, no network (the hooks of PEP 517 and 660)."""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAG = "py3-none-any"


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        project = file.read().split("[project]")[1]
    return {key: re.search(rf'^{key} = "(.*)"$', project, re.MULTILINE).group(1)
            for key in ("name", "version", "description", "requires-python")}


def _metadata(project):
    return (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
            f"Summary: {project['description']}\nRequires-Python: {project['requires-python']}\n").encode()


def _sources(suffixes=(".py", ".pyi", "py.typed")):
    for folder, folders, names in os.walk(os.path.join(HERE, "opsight")):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted(names):
            if name.endswith(suffixes):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    yield os.path.relpath(path, HERE).replace(os.sep, "/"), file.read()


def _record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def _wheel(folder, files):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    files = [*files, (f"{stem}.dist-info/METADATA", _metadata(project)),
             (f"{stem}.dist-info/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: opsight\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode())]
    listed = f"{stem}.dist-info/RECORD"
    record = "".join(_record(name, content) for name, content in files) + f"{listed},,\n"
    wheel = f"{stem}-{TAG}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [*files, (listed, record.encode())]:
            archive.writestr(name, content)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(wheel_directory, _sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(wheel_directory, [("opsight.pth", (HERE + "\n").encode())])


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    files = [*_sources(), ("PKG-INFO", _metadata(project))]
    for name in ("pyproject.toml", "packaging/opsight_wheel.py"):
        with open(os.path.join(HERE, name), "rb") as file:
            files.append((name, file.read()))
    with tarfile.open(os.path.join(sdist_directory, f"{stem}.tar.gz"), "w:gz") as archive:
        for name, content in files:
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return f"{stem}.tar.gz"
