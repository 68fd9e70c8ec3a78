"""Every Python finds our hook at its start: one without torch, or too old for it, runs as it does without us."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")).absolute()
NAMES = ["python2", "python2.7", *(f"python3.{minor}" for minor in range(4, 16))]
PROGRAM = r"""
import sys
def deep(n):
    return deep(n + 1)
try:
    deep(0)
except RuntimeError as problem:
    print(type(problem).__name__)
print(sys.version_info[:2])
print([entry for entry in sys.path if "inject" in entry])
sys.stderr.write("to stderr\n")
sys.exit(7)
"""


def pythons():
    """One of each version that is found, in the path or where pyenv keeps them."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = [shutil.which(name) for name in NAMES] + [str(path) for path in root.glob("versions/*/bin/python")]
    by_version = {}
    for path in [sys.executable, *filter(None, found)]:
        done = subprocess.run([path, "-c", "import sys; sys.stdout.write('%d.%d' % sys.version_info[:2])"],
                              capture_output=True, text=True)
        if done.returncode == 0 and re.fullmatch(r"\d+\.\d+", done.stdout):
            by_version.setdefault(done.stdout, path)
    return by_version


class AnyPython(unittest.TestCase):
    def run_both(self, python, env):
        command = [python, "-c", PROGRAM]
        bare = subprocess.run(command, capture_output=True, text=True, env=env, cwd=self.dir)
        seen = subprocess.run([BIN / "opsight", "profile", "--force", "-o", "run.opsight", "--", *command],
                              capture_output=True, text=True, env=env, cwd=self.dir)
        own_words = [line for line in seen.stderr.splitlines() if not line.startswith("opsight: nothing was recorded")]
        self.assertEqual((seen.returncode, seen.stdout, own_words),
                         (bare.returncode, bare.stdout, bare.stderr.splitlines()))
        self.assertEqual(bare.returncode, 7, bare.stderr)

    def test_runs_as_it_does_without_us(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_pythons_")
        self.addCleanup(folder.cleanup)
        self.dir = folder.name
        own = pathlib.Path(folder.name) / "own"
        own.mkdir()
        (own / "sitecustomize.py").write_text("import sys\nsys.stdout.write('a sitecustomize of its own\\n')\n")
        plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        versions = pythons()
        print("Python " + ", ".join(sorted(versions)), file=sys.stderr)
        for version, python in versions.items():
            for env in (plain, {**plain, "PYTHONPATH": str(own)}):
                with self.subTest(version, own="PYTHONPATH" in env):
                    self.run_both(python, env)


if __name__ == "__main__":
    unittest.main()
