"""Opsight inside a Python program: ranges of your own (annotate, nvtx) and for PyTorch (torch.init).

Pure standard library. Parts are loaded when they are first used: a Python that only starts pays nothing.
"""


def __getattr__(name):
    from importlib import import_module

    if name in ("annotate", "mark"):
        return getattr(import_module(".nvtx", __name__), name)
    if name in ("nvtx", "torch"):
        return import_module("." + name, __name__)
    raise AttributeError(f"module 'opsight' has no attribute {name!r}")
