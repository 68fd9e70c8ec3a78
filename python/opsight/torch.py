"""NVTX ranges for PyTorch, for whichever tool listens: opsight.torch.init() once, before the model runs.

Modules become ranges "layer:Net/body/0"; functions of PyTorch, also those that operators call, ranges that tell the
function and the shape and dtype of its tensors, in the form that NVIDIA's plugins wrote. Steps of optimizers become
ranges that end an iteration.
"""
import sys
import threading

from . import modules, nvtx, steps

_MOST_ARGUMENTS = 32
_MOST_ITEMS = 16


class _Layers:
    """Ranges of module calls."""

    def __init__(self):
        self._own = threading.local()

    def enter(self, name):
        stack = getattr(self._own, "stack", None)
        if stack is None:
            stack = self._own.stack = []
        step = name.replace(".", "/")
        path = f"{stack[-1]}/{step}" if stack else step
        stack.append(path)
        nvtx.push_range(f"layer:{path}")

    def leave(self):
        self._own.stack.pop()
        nvtx.pop_range()


def _describe(torch, name, value):
    if isinstance(value, torch.Tensor):
        return {"name": name, "type": "tensor", "shape": tuple(value.shape),
                "dtype": str(value.dtype).replace("torch.", "")}
    if isinstance(value, bool) or isinstance(value, (int, float)) or value is None:
        return {"name": name, "type": type(value).__name__, "value": value}
    return {"name": name, "type": type(value).__name__}


def _arguments(torch, args, kwargs):
    described = []
    for name, value in [("", value) for value in args] + list(kwargs.items()):
        if isinstance(value, (list, tuple)):
            described.extend(_describe(torch, name, item) for item in value[:_MOST_ITEMS])
        else:
            described.append(_describe(torch, name, value))
    return described[:_MOST_ARGUMENTS]


def _module_of(function):
    """"torch.nn.functional" for its functions, "Tensor" for methods, else "torch"."""
    name = getattr(function, "__module__", None)
    if name:
        return name
    owner = getattr(function, "__objclass__", None)
    return "Tensor" if owner is not None and "Tensor" in owner.__name__ else "torch"


# Looking at a tensor is not work.
_QUIET = {"__get__", "size", "dim", "numel", "stride", "is_floating_point", "is_complex", "__repr__", "__hash__"}


def _function_mode(torch):
    from torch.overrides import TorchFunctionMode

    class Ranges(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            name = getattr(function, "__name__", str(function))
            if name in _QUIET:
                return function(*args, **kwargs)
            nvtx.push_range({"mod": _module_of(function), "op": name, "args": _arguments(torch, args, kwargs)})
            try:
                return function(*args, **kwargs)
            finally:
                nvtx.pop_range()

    return Ranges()


def _around_step(step, name):
    def stepped(self, *args, **kwargs):
        nvtx.push_range(f"Optimizer.step#{name}.step")
        try:
            return step(self, *args, **kwargs)
        finally:
            nvtx.pop_range()

    return stepped


def _is_observed():
    """Whether `opsight profile` records this process's ops already."""
    return getattr(sys.modules.get("_opsight.observer"), "recording", False)


_mode = None


def init(functions=True, with_modules=True):
    """Begins to write ranges; before optimizers are made. False where nobody listens, or Opsight's observer tells the same already."""
    global _mode
    import torch

    if _mode is not None or not nvtx.enabled() or _is_observed():
        return _mode is not None
    steps.watch(torch.optim.Optimizer, _around_step)
    if with_modules:
        layers = _Layers()
        modules.track(torch, layers.enter, layers.leave)
    _mode = _function_mode(torch) if functions else False
    if functions:
        _mode.__enter__()
    return True
