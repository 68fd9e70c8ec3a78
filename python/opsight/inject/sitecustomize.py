"""Python runs this at its start, because `opsight profile` puts this folder first on PYTHONPATH.

It sets the hook that waits for torch, lets the program import opsight, takes the folder off the path again, and then runs the sitecustomize that
would have run without us. Every Python finds it, so it is written to be read by Python 2 as well.
"""
import os
import sys


class _Found:
    """Last on sys.meta_path: `import opsight` works under `opsight profile` where it is not installed."""

    def __init__(self, package):
        self._package = package

    def find_spec(self, name, path=None, target=None):
        if name != "opsight":
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(
            name, os.path.join(self._package, "__init__.py"), submodule_search_locations=[self._package]
        )


def _start_hook(folder):
    if not os.environ.get("OPSIGHT_CAPTURE_DIR") or sys.version_info < (3,):
        return
    try:
        from importlib.util import module_from_spec, spec_from_file_location

        # Loaded by its place, under a private name: the program's import path stays as it was.
        package = os.path.dirname(folder)
        spec = spec_from_file_location(
            "_opsight", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        sys.modules["_opsight"] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules["_opsight"])
        if os.environ.get("OPSIGHT_OPTIONS"):
            from _opsight import hook

            hook.wait_for_torch()
        sys.meta_path.append(_Found(package))
    except Exception as problem:  # the program matters more than its profile
        sys.stderr.write("opsight: not recording: %r\n" % (problem,))


def _run_next_of_python_2():
    ours = sys.modules["_opsight_start"] = sys.modules.pop("sitecustomize")
    try:
        __import__("sitecustomize")
    except ImportError:
        sys.modules["sitecustomize"] = ours


def _run_next(folder):
    def is_ours(entry):
        return bool(entry) and os.path.abspath(entry) == folder

    sys.path[:] = [entry for entry in sys.path if not is_ours(entry)]
    if sys.version_info < (3,):
        return _run_next_of_python_2()
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_folder = os.path.dirname(os.path.abspath(__file__))
_start_hook(_folder)
_run_next(_folder)
