"""Waits for `import torch`, then starts recording. Whatever fails here leaves the program alone."""
import json
import os
import sys
from importlib.util import find_spec

from .say import say


class _Finder:
    """Sits first on sys.meta_path until torch is imported; finds nothing itself."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        try:
            spec = find_spec("torch")
        finally:
            sys.meta_path.insert(0, self)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def run_and_start(module):
            spec.loader.__dict__.pop("exec_module", None)
            run(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                start(module)

        spec.loader.exec_module = run_and_start
        return spec


def wait_for_torch():
    sys.meta_path.insert(0, _Finder())


def options():
    return json.loads(os.environ.get("OPSIGHT_OPTIONS") or "{}")


def start(torch):
    try:
        _start(torch, options())
    except Exception as problem:
        say(f"not recording: {problem!r}")


def _start(torch, chosen):
    from . import observer

    library, why_not = observer.begin(torch, chosen)
    if why_not is not None:
        from . import kineto

        kineto.start(torch, chosen, why_not)
    if library is None:
        return
    observer.finish_at_exit(library, torch)
    from . import calls

    calls.observe(torch, library, chosen.get("modules", True))
