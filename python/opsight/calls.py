"""What the observer learns from Python: calls of modules, whose optimizer steps, which rank this process is of.

The functions concerned are replaced by stand-ins of the observer (src/collect/python_calls.h), which are not Python
functions: they stand in no traceback and count for no depth of recursion. What is here runs when a module or an
optimizer is first met.
"""
import sys
import weakref

from . import groups, modules
from .say import say

_MODULE, _STEP, _TELL = 0, 1, 2
_STEP_END = "\x1e"  # between the steps of a module's place, as src/import/capture/process.cpp reads it
_LONGEST = 2000


def observe(torch, library, with_modules):
    if object.__basicsize__ != 16 or _put(library, torch.optim.Optimizer, "__init__", _TELL, _Optimizers(library).made):
        say("calls of nn.Module are not recorded: this build of Python is not known")
        return
    library.opsight_torch_property(b"optimizers", b"numbered")
    if with_modules:
        _observe_modules(torch, library)
    groups.observe(torch, library, lambda owner, name, helper: _put(library, owner, name, _TELL, helper))


def _put(library, owner, name, kind, helper):
    return library.opsight_torch_stand_in(owner, name.encode(), kind, helper)


class _Handles:
    """Texts that the observer knows by number."""

    def __init__(self, library):
        self._library = library
        self._known = {}

    def of(self, text):
        if text not in self._known:
            self._known[text] = self._library.opsight_torch_module(text.encode("utf-8", "replace"))
        return self._known[text]


class _Met:
    """Has the observer forget an object when it goes: another one may get its place."""

    def __init__(self, library):
        self._library = library
        self._references = {}
        self.places = {}  # by id

    def __contains__(self, thing):
        reference = self._references.get(id(thing))
        return reference is not None and reference() is thing

    def keep(self, thing, place=""):
        key = id(thing)

        def gone(_):
            self._library.opsight_torch_forget(key)
            self._references.pop(key, None)
            self.places.pop(key, None)

        self._references[key] = weakref.ref(thing, gone)
        self.places[key] = place


def _observe_modules(torch, library):
    code = torch.nn.Module.__call__.__code__
    names, handles, met = modules.Names(), _Handles(library), _Met(library)

    def handle(module):
        """All steps from the outermost module on: a checkpoint calls it again with none around it."""
        parent = modules.enclosing(sys._getframe(1), code)
        name = names.of(module, parent)
        place = met.places.get(id(parent), "") + _STEP_END + name if parent is not None else name
        met.keep(module, place if len(place) <= _LONGEST else name)
        return handles.of(met.places[id(module)])

    if _put(library, torch.nn.Module, "__call__", _MODULE, handle) == 0:
        modules.keep_from_dynamo(torch, modules.codes_of(handle, modules.enclosing, modules.Names, _Handles, _Met))


class _Optimizers:
    """Each optimizer by its class, numbered where there are several of one, in the order in which they were made."""

    def __init__(self, library):
        self._library = library
        self._handles = _Handles(library)
        self._met = _Met(library)
        self._counts = {}
        self._names = {}

    def made(self, optimizer):
        """Called after the optimizer was made: PyTorch has its own word in `step` by then."""
        self._name(optimizer)
        _put(self._library, type(optimizer), "step", _STEP, self.handle)

    def handle(self, optimizer):
        if optimizer not in self._met:  # a copy
            self._name(optimizer)
        return self._handles.of(self._names[id(optimizer)])

    def _name(self, optimizer):
        name = type(optimizer).__name__
        number = self._counts.get(name, 0)
        self._counts[name] = number + 1
        self._names[id(optimizer)] = f"Optimizer.step#{name}{f'_{number}' if number else ''}.step"
        self._met.keep(optimizer)
