"""NVTX version 3 for Python: ranges, marks, domains, categories, colours and payloads, for whichever tool listens.

The tool is the library that the environment variable NVTX_INJECTION64_PATH names (Opsight, Nsight Systems and others
set it). Without one every call returns at once.
"""
import contextlib
import ctypes
import functools
import inspect
import os
import threading

COLORS = {
    "blue": 0xFF0072B2, "green": 0xFF009E73, "orange": 0xFFE69F00, "red": 0xFFD55E00, "purple": 0xFFCC79A7,
    "yellow": 0xFFF0E442, "cyan": 0xFF56B4E9, "gray": 0xFF808080, "black": 0xFF000000, "white": 0xFFFFFFFF,
}
_CORE, _CORE2 = 1, 5
_CALLS = 16
_MESSAGE_REGISTERED, _COLOR_ARGB, _PAYLOAD_INT64, _PAYLOAD_DOUBLE = 3, 1, 2, 3
_NO_TRACKING = -2


class _Payload(ctypes.Union):
    _fields_ = [("integer", ctypes.c_int64), ("real", ctypes.c_double)]


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint16), ("size", ctypes.c_uint16), ("category", ctypes.c_uint32),
        ("color_type", ctypes.c_int32), ("color", ctypes.c_uint32), ("payload_type", ctypes.c_int32),
        ("reserved", ctypes.c_int32), ("payload", _Payload), ("message_type", ctypes.c_int32),
        ("message", ctypes.c_void_p),
    ]


_MODULE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
_SET_VERSION = ctypes.CFUNCTYPE(None, ctypes.c_uint32)
_GET_TABLE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)


class _CallbackTable(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("module", _MODULE)]


class _VersionTable(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("version", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("set_version", _SET_VERSION)]


class _Tool:
    """The calls of the tool, or nothing. Tables and callbacks live as long as the process: the tool keeps them."""

    def __init__(self):
        self._slots = {module: (ctypes.c_void_p * _CALLS)() for module in (_CORE, _CORE2)}
        self._pointers = {
            module: (ctypes.c_void_p * _CALLS)(*(ctypes.addressof(slots) + i * 8 for i in range(_CALLS)))
            for module, slots in self._slots.items()
        }
        self._callbacks = _CallbackTable(ctypes.sizeof(_CallbackTable), _MODULE(self._module))
        self._version = _VersionTable(ctypes.sizeof(_VersionTable), 3, 0, _SET_VERSION(lambda version: None))
        self._get_table = _GET_TABLE(self._table)
        self.present = self._load()
        attributes, text = ctypes.POINTER(_Attributes), ctypes.c_char_p
        self.mark = self._call(_CORE2, 1, None, ctypes.c_void_p, attributes)
        self.start = self._call(_CORE2, 2, ctypes.c_uint64, ctypes.c_void_p, attributes)
        self.end = self._call(_CORE2, 3, None, ctypes.c_void_p, ctypes.c_uint64)
        self.push = self._call(_CORE2, 4, ctypes.c_int, ctypes.c_void_p, attributes)
        self.pop = self._call(_CORE2, 5, ctypes.c_int, ctypes.c_void_p)
        self.name_category = self._call(_CORE2, 8, None, ctypes.c_void_p, ctypes.c_uint32, text)
        self.register = self._call(_CORE2, 10, ctypes.c_void_p, ctypes.c_void_p, text)
        self.create_domain = self._call(_CORE2, 12, ctypes.c_void_p, text)
        self.name_thread = self._call(_CORE, 14, None, ctypes.c_uint32, text)

    def _module(self, module, table, count):
        if module not in self._slots:
            return 0
        table[0] = ctypes.addressof(self._pointers[module])
        count[0] = _CALLS
        return 1

    def _table(self, number):
        table = {1: self._callbacks, 3: self._version}.get(number)
        return ctypes.addressof(table) if table is not None else None

    def _load(self):
        path = os.environ.get("NVTX_INJECTION64_PATH")
        if not path:
            return False
        try:
            initialize = ctypes.CDLL(path).InitializeInjectionNvtx2
        except (OSError, AttributeError):
            return False
        initialize.argtypes, initialize.restype = (_GET_TABLE,), ctypes.c_int
        return initialize(self._get_table) != 0

    def _call(self, module, number, result, *arguments):
        address = self._slots[module][number] if self.present else None
        # The calls are short: giving up the interpreter's lock would cost more than they do.
        return ctypes.PYFUNCTYPE(result, *arguments)(address) if address else None


_lock = threading.Lock()
_tool = None


def _the_tool():
    global _tool
    if _tool is None:
        with _lock:
            if _tool is None:
                _tool = _Tool()
    return _tool


def enabled():
    """Whether a tool listens."""
    return _the_tool().present


class Domain:
    """Ranges of one library or part of a program. Get it with get_domain()."""

    def __init__(self, name):
        self.name = name
        tool = _the_tool()
        self.handle = tool.create_domain(name.encode()) if name and tool.create_domain else None
        self._categories = {}
        self._texts = {}

    def category(self, name):
        """The number of a category; numbers pass as they are."""
        if name is None or isinstance(name, int):
            return name or 0
        number = self._categories.get(name)
        if number is None:
            number = self._categories[name] = len(self._categories) + 1
            tool = _the_tool()
            if tool.name_category:
                tool.name_category(self.handle, number, name.encode("utf-8", "replace"))
        return number

    def attributes(self, message, color=None, category=None, payload=None):
        made = _Attributes(3, ctypes.sizeof(_Attributes))
        made.category = self.category(category)
        if color is not None:
            made.color_type = _COLOR_ARGB
            made.color = COLORS[color] if isinstance(color, str) else color
        if payload is not None:
            made.payload_type = _PAYLOAD_DOUBLE if isinstance(payload, float) else _PAYLOAD_INT64
            if isinstance(payload, float):
                made.payload.real = payload
            else:
                made.payload.integer = int(payload)
        made.message_type = _MESSAGE_REGISTERED
        made.message = self._text(str(message))
        return made

    def _text(self, message):
        handle = self._texts.get(message)
        if handle is None:
            tool = _the_tool()
            handle = tool.register(self.handle, message.encode("utf-8", "replace")) if tool.register else None
            if len(self._texts) < 10000:
                self._texts[message] = handle
        return handle


_domains = {}


def get_domain(name=None):
    """The domain of that name, or the default one."""
    if isinstance(name, Domain):
        return name
    domain = _domains.get(name)
    if domain is None:
        domain = _domains.setdefault(name, Domain(name))
    return domain


def push_range(message, color=None, domain=None, category=None, payload=None):
    """Begins a range of this thread; its depth, or a negative number where nobody counts."""
    tool = _the_tool()
    if not tool.push:
        return _NO_TRACKING
    domain = get_domain(domain)
    return tool.push(domain.handle, domain.attributes(message, color, category, payload))


def pop_range(domain=None):
    tool = _the_tool()
    return tool.pop(get_domain(domain).handle) if tool.pop else _NO_TRACKING


def start_range(message, color=None, domain=None, category=None, payload=None):
    """Begins a range that may end on any thread: give what this returns to end_range."""
    tool = _the_tool()
    domain = get_domain(domain)
    if not tool.start:
        return (domain, 0)
    return (domain, tool.start(domain.handle, domain.attributes(message, color, category, payload)))


def end_range(started):
    tool = _the_tool()
    if tool.end:
        tool.end(started[0].handle, started[1])


def mark(message, color=None, domain=None, category=None, payload=None):
    tool = _the_tool()
    if tool.mark:
        domain = get_domain(domain)
        tool.mark(domain.handle, domain.attributes(message, color, category, payload))


def name_thread(name):
    """Names the calling thread."""
    tool = _the_tool()
    if tool.name_thread:
        tool.name_thread(threading.get_native_id(), name.encode("utf-8", "replace"))


class annotate(contextlib.ContextDecorator):
    """A range around a block ("with annotate("epoch"):") or around every call of a function ("@annotate()").

    As a decorator without a message it takes the function's name. The range ends also where the block raises.
    """

    def __init__(self, message=None, color=None, domain=None, category=None, payload=None):
        self._arguments = (color, category, payload)
        self._domain = domain
        self._message = message
        self._attributes = None

    def __enter__(self):
        tool = _the_tool()
        if tool.push:
            domain = get_domain(self._domain)
            if self._attributes is None:
                self._attributes = domain.attributes(self._message or "(no name)", *self._arguments)
            tool.push(domain.handle, self._attributes)
        return self

    def __exit__(self, *error):
        pop_range(self._domain)
        return False

    def __call__(self, function):
        own = self if self._message else annotate(function.__qualname__, self._arguments[0], self._domain,
                                                  *self._arguments[1:])
        if inspect.iscoroutinefunction(function):
            # Between its awaits other work runs on the thread: a range of its own, which need not nest.
            @functools.wraps(function)
            async def waited(*args, **kwargs):
                started = start_range(own._message, own._arguments[0], own._domain, *own._arguments[1:])
                try:
                    return await function(*args, **kwargs)
                finally:
                    end_range(started)

            return waited

        @functools.wraps(function)
        def called(*args, **kwargs):
            with own:
                return function(*args, **kwargs)

        return called
