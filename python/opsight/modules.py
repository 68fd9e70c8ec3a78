"""Records every call of an nn.Module with its place in the model.

A call is named by the path from the module that encloses it ("layer1", "0", "layers.3"), the outermost one by its
class: nested calls spell the full path "ResNet/layer1/0/conv1". Names are found at a module's first call; after
that a call costs one dictionary look-up and two calls into the observer. Nothing is stored in the modules.
"""
import functools
import sys
import weakref

from .hook import say


class Names:
    """The observer's handle of each module, made at its first call."""

    def __init__(self, library):
        self._library = library
        self._handles = {}  # text -> handle
        self._roots = {}  # class name -> weak references, by number
        self.entries = {}  # id(module) -> (weak reference, handle)

    def add(self, module, parent):
        key = id(module)
        try:
            reference = weakref.ref(module, lambda _: self.entries.pop(key, None))
            entry = (reference, self._handle(self._name(module, parent)))
        except Exception:
            return (lambda: None, None)  # called without a span
        self.entries[key] = entry
        return entry

    def _handle(self, text):
        if text not in self._handles:
            self._handles[text] = self._library.opsight_torch_module(text.encode("utf-8", "replace"))
        return self._handles[text]

    def _name(self, module, parent):
        if parent is None:
            return self._root_name(module)
        for name, child in parent._modules.items():
            if child is module:
                return name
        for name, child in parent.named_modules():
            if child is module and name:
                return name
        return type(module).__name__

    def _root_name(self, module):
        """The class, numbered where several such modules live at the same time."""
        name = type(module).__name__
        slots = self._roots.setdefault(name, [])
        free = next((i for i, slot in enumerate(slots) if slot() is None), len(slots))
        slots[free : free + 1] = [weakref.ref(module)]
        return name if free == 0 else f"{name}_{free}"


def track(torch, library):
    """Wraps nn.Module.__call__. Global forward hooks would not do: they do not run when forward() raises."""
    compiling = _asks_dynamo(torch)
    if compiling is None:
        say("calls of nn.Module are not recorded: with PyTorch 2.0 that would disturb torch.compile")
        return
    call = torch.nn.Module.__call__
    names = Names(library)
    entries = names.entries
    enter, leave = library.opsight_torch_enter, library.opsight_torch_leave

    @functools.wraps(call)
    def __call__(self, *args, **kwargs):
        if compiling():  # being traced: what runs later is the graph
            return call(self, *args, **kwargs)
        entry = entries.get(id(self))
        if entry is None or entry[0]() is not self:
            entry = names.add(self, _enclosing(sys._getframe(1), code))
        enter(entry[1])
        try:
            return call(self, *args, **kwargs)
        finally:
            leave()

    code = __call__.__code__
    _keep_from_dynamo(torch, code)
    torch.nn.Module.__call__ = __call__


def _asks_dynamo(torch):
    """The function that torch.compile takes as true in what it traces; None: there is torch.compile, but no such."""
    if not hasattr(torch, "compile"):
        return bool
    return getattr(getattr(torch, "compiler", None), "is_dynamo_compiling", None)


def _keep_from_dynamo(torch, wrapper):
    """Where torch.compile meets a call of ours it goes on inside of it: it compiles the module and nothing of this file.
    Else all modules would share one code object's few places for graphs."""
    frames = torch._C._dynamo.eval_frame if hasattr(torch._C, "_dynamo") else None
    if hasattr(frames, "_FrameExecStrategy"):
        skip, default = frames._FrameAction.SKIP, frames._FrameAction.DEFAULT
        frames.set_code_exec_strategy(wrapper, frames._FrameExecStrategy(skip, default))
        for code in _functions_of_names():
            frames.set_code_exec_strategy(code, frames._FrameExecStrategy(skip, skip))
    elif hasattr(frames, "skip_code"):
        for code in (wrapper, *_functions_of_names()):
            frames.skip_code(code)


def _functions_of_names():
    functions = [_enclosing, *(value for value in vars(Names).values() if callable(value))]
    codes = [function.__code__ for function in functions]
    return codes + [nested for code in codes for nested in code.co_consts if hasattr(nested, "co_code")]


def _enclosing(frame, code):
    """The module whose call is open in `frame` or outside it. Looked up only at a module's first call."""
    while frame is not None:
        if frame.f_code is code:
            return frame.f_locals.get("self")
        frame = frame.f_back
    return None
