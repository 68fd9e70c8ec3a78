"""The place of every nn.Module in the model, by its calls.

A call is named by the path from the module that encloses it ("layer1", "0", "layers.3"), the outermost one by its
class: nested calls spell the full path "ResNet/layer1/0/conv1". Nothing is stored in the modules.
"""
import functools
import sys
import weakref

from .say import say


class Names:
    """Names modules when they are first called."""

    def __init__(self):
        self._roots = {}  # class name -> weak references, by number

    def of(self, module, parent):
        """A module of the program's own kind may answer in any way: the program must not see what that does to us."""
        try:
            return str(self._of(module, parent))
        except Exception:
            return type(module).__name__

    def _of(self, module, parent):
        if parent is None:
            return self._root(module)
        for name, child in parent._modules.items():
            if child is module:
                return name
        for name, child in parent.named_modules():
            if child is module and name:
                return name
        return type(module).__name__

    def _root(self, module):
        """The class, numbered where several such modules live at the same time."""
        name = type(module).__name__
        slots = self._roots.setdefault(name, [])
        free = next((i for i, slot in enumerate(slots) if slot() is None), len(slots))
        slots[free : free + 1] = [weakref.ref(module)]
        return name if free == 0 else f"{name}_{free}"


def track(torch, enter, leave):
    """Wraps nn.Module.__call__: `enter` gets the module's name, `leave` is called however the call ends. Global forward
    hooks would not do: they do not run when forward() raises."""
    compiling = _asks_dynamo(torch)
    if compiling is None:
        say("calls of nn.Module are not recorded: with PyTorch 2.0 that would disturb torch.compile")
        return
    call = torch.nn.Module.__call__
    names, entries = Names(), {}  # id(module) -> (weak reference, name)

    def add(module, frame):
        key = id(module)
        reference = weakref.ref(module, lambda _: entries.pop(key, None))
        entries[key] = entry = (reference, names.of(module, enclosing(frame, code)))
        return entry

    @functools.wraps(call)
    def __call__(self, *args, **kwargs):
        if compiling():  # being traced: what runs later is the graph
            return call(self, *args, **kwargs)
        entry = entries.get(id(self))
        if entry is None or entry[0]() is not self:
            entry = add(self, sys._getframe(1))
        enter(entry[1])
        try:
            return call(self, *args, **kwargs)
        finally:
            leave()

    code = __call__.__code__
    keep_from_dynamo(torch, codes_of(add, enclosing, Names), code)
    torch.nn.Module.__call__ = __call__


def _asks_dynamo(torch):
    """The function that torch.compile takes as true in what it traces; None: there is torch.compile, but no such."""
    if not hasattr(torch, "compile"):
        return bool
    return getattr(getattr(torch, "compiler", None), "is_dynamo_compiling", None)


def keep_from_dynamo(torch, codes, wrapper=None):
    """Where torch.compile meets a call of ours it goes on inside of it: it compiles the module and nothing of this
    package. Else all modules would share one code object's few places for graphs."""
    frames = torch._C._dynamo.eval_frame if hasattr(torch._C, "_dynamo") else None
    if hasattr(frames, "_FrameExecStrategy"):
        skip, default = frames._FrameAction.SKIP, frames._FrameAction.DEFAULT
        if wrapper is not None:
            frames.set_code_exec_strategy(wrapper, frames._FrameExecStrategy(skip, default))
        for code in codes:
            frames.set_code_exec_strategy(code, frames._FrameExecStrategy(skip, skip))
    elif hasattr(frames, "skip_code"):
        for code in codes if wrapper is None else [wrapper, *codes]:
            frames.skip_code(code)


def codes_of(*things):
    """The code of functions and of the methods of classes, with all that is nested in it."""
    functions = []
    for thing in things:
        functions += [value for value in vars(thing).values() if callable(value)] if isinstance(thing, type) else [thing]
    codes = [function.__code__ for function in functions]
    return codes + [nested for code in codes for nested in code.co_consts if hasattr(nested, "co_code")]


def enclosing(frame, code):
    """The module whose call is open in `frame` or outside it. Looked up only at a module's first call."""
    while frame is not None:
        if frame.f_code is code:
            return frame.f_locals.get("self")
        frame = frame.f_back
    return None
