"""Opsight inside a Python program: profiles as tables (open), recording (profile), ranges of your own (annotate,
nvtx) and for PyTorch (torch.init). In a notebook: %load_ext opsight.

Pure standard library. Parts are loaded when they are first used: a Python that only starts pays nothing.
"""

_PARTS = {"annotate": ("nvtx", "annotate"), "mark": ("nvtx", "mark"), "open": ("reading", "open_profile"),
          "Profile": ("reading", "Profile"), "profile": ("recording", "profile"),
          "OpsightError": ("program", "OpsightError")}


def __getattr__(name):
    from importlib import import_module

    if name in _PARTS:
        module, thing = _PARTS[name]
        return getattr(import_module("." + module, __name__), thing)
    if name in ("nvtx", "torch"):
        return import_module("." + name, __name__)
    raise AttributeError(f"module 'opsight' has no attribute {name!r}")


def load_ipython_extension(shell):
    from . import magic

    magic.register(shell)
