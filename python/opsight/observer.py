"""Loads libopsight_torch.so, and refuses where it does not fit the program's PyTorch."""
import atexit
import ctypes
import os
import platform
import sys
from multiprocessing import util

from . import builder
from .say import say

SHAPES, MEMORY = 1, 2
recording = False  # in this process


class Window(ctypes.Structure):
    """struct opsight_torch_window of observer_api.h."""

    _fields_ = [
        ("delay_s", ctypes.c_double),
        ("duration_s", ctypes.c_double),
        ("skip_iterations", ctypes.c_uint64),
        ("record_iterations", ctypes.c_uint64),
    ]


def _built_for(path):
    """Version of PyTorch and file name of libtorch that the observer was built with."""
    with open(os.path.join(os.path.dirname(path), "opsight_torch.version"), encoding="ascii") as file:
        version, libtorch = file.read().split()
    return version, libtorch


def refusal(torch):
    """Why the observer that came with Opsight cannot be used with this torch, or None."""
    path = os.environ.get("OPSIGHT_OBSERVER", "")
    if not path or not os.path.exists(path):
        return "this Opsight was built without its PyTorch observer"
    version, libtorch = _built_for(path)
    own = str(getattr(torch, "__version__", "unknown"))
    if own.split(".")[:2] != version.split("."):
        return f"the program uses PyTorch {own}, the observer was built for {version}"
    loaded = os.path.basename(builder.loaded_library("torch_cpu") or "missing")
    if loaded != libtorch:
        return f"the program's libtorch is {loaded}, the observer was built for {libtorch}"
    return None


def _load(path):
    library = ctypes.PyDLL(path)
    library.opsight_torch_open.argtypes = (
        ctypes.c_char_p,
        ctypes.c_uint64,
        ctypes.c_uint32,
        ctypes.POINTER(Window),
    )
    library.opsight_torch_counters.argtypes = (ctypes.c_uint32,)
    library.opsight_torch_counters.restype = None
    library.opsight_torch_property.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
    library.opsight_torch_property.restype = None
    library.opsight_torch_group.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p)
    library.opsight_torch_group.restype = None
    library.opsight_torch_module.argtypes = (ctypes.c_char_p,)
    library.opsight_torch_module.restype = ctypes.c_void_p
    library.opsight_torch_stand_in.argtypes = (ctypes.py_object, ctypes.c_char_p, ctypes.c_int, ctypes.py_object)
    library.opsight_torch_forget.argtypes = (ctypes.c_void_p,)
    library.opsight_torch_forget.restype = None
    library.opsight_torch_finish.argtypes = ()
    library.opsight_torch_finish.restype = None
    return library


# What peaks of a processor are derived from.
_CPU_FEATURES = ("fma", "avx512f", "avx512_fp16", "avx512_bf16", "avx512_vnni", "avx_vnni", "amx_bf16", "amx_int8")


def _number(path):
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read().strip().rstrip("K"))
    except (OSError, ValueError):
        return 0


def _last_cache_bytes():
    caches = {}
    for cpu in range(os.cpu_count() or 1):
        folder = f"/sys/devices/system/cpu/cpu{cpu}/cache/index3"
        try:
            with open(f"{folder}/shared_cpu_list", encoding="ascii") as file:
                caches[file.read()] = _number(f"{folder}/size") * 1024
        except OSError:
            return 0
    return sum(caches.values())


def _data_caches():
    """Names and bytes of the caches that hold the data of the first processor, from the innermost on."""
    folder = "/sys/devices/system/cpu/cpu0/cache"
    for index in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        try:
            with open(f"{folder}/{index}/type", encoding="ascii") as file:
                kind = file.read().strip()
            with open(f"{folder}/{index}/level", encoding="ascii") as file:
                level = int(file.read())
        except (OSError, ValueError):
            continue  # a file beside the caches
        size = _number(f"{folder}/{index}/size") * 1024
        if kind in ("Data", "Unified") and size > 0:
            yield f"L{level}", size


def _cpu():
    """Facts of the processor, as Linux tells them."""
    facts, cores, packages, clock, threads, package = {}, set(), set(), 0.0, 0, ""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = (part.strip() for part in line.partition(":"))
            facts.setdefault(key, value)
            if key == "processor":
                threads += 1
            elif key == "physical id":
                package = value
                packages.add(value)
            elif key == "core id":
                cores.add((package, value))
            elif key == "cpu MHz":
                clock = max(clock, float(value) * 1e6)
    highest = _number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") * 1e3
    features = facts.get("flags", "").split()
    yield "cpu_model", facts.get("model name", "")
    yield "cpu_vendor", facts.get("vendor_id", "")
    yield "cpu_family", facts.get("cpu family", "")
    yield "cpu_model_number", facts.get("model", "")
    yield "cpu_features", " ".join(word for word in _CPU_FEATURES if word in features)
    yield "cpu_cores", str(len(cores) or threads)
    yield "cpu_packages", str(len(packages))
    yield "cpu_clock_hz", str(int(max(clock, highest)))
    yield "cpu_cache_bytes", str(_last_cache_bytes())
    yield "cpu_caches", " ".join(f"{name}={size}" for name, size in _data_caches())


def _properties(torch):
    yield "framework", f"PyTorch {torch.__version__}"
    yield "python_version", platform.python_version()
    yield "python_executable", sys.executable
    yield "command", " ".join(getattr(sys, "orig_argv", sys.argv))
    try:
        yield from list(_cpu())
    except (OSError, ValueError):
        pass  # a machine that tells of its processor in another way
    yield "cpu_count", str(os.cpu_count())


def begin(torch, chosen):
    """The observer, recording into a new capture, or None; and why none fits, where torch.profiler may do instead."""
    why_not = refusal(torch)
    if why_not is None:
        library, why_not = _open(os.environ["OPSIGHT_OBSERVER"], torch, chosen)
        if why_not is None:
            return library, None
    if not chosen.get("build_observer", True):
        return None, why_not
    try:
        path = builder.observer_for(torch)
    except (builder.Unbuilt, OSError) as problem:
        return None, f"{why_not}, and could not be built: {problem}"
    library, why_not = _open(path, torch, chosen)
    if why_not is not None:
        os.unlink(path)  # the next run tries again
    return library, why_not


def _open(path, torch, chosen):
    """As begin(), with the observer at `path`. Where no capture can be made, neither is told."""
    try:
        library = _load(path)
    except OSError as problem:
        return None, f"the observer cannot be loaded ({problem})"
    window = Window(
        float(chosen.get("delay_s", 0)),
        float(chosen.get("duration_s", 0)),
        int(chosen.get("skip_iterations", 0)),
        int(chosen.get("record_iterations", 0)),
    )
    flags = (SHAPES if chosen.get("shapes", True) else 0) | (MEMORY if chosen.get("memory", True) else 0)
    directory = os.environ["OPSIGHT_CAPTURE_DIR"]
    limit = int(chosen.get("limit_bytes", 1 << 30))
    if chosen.get("counters", 0):
        library.opsight_torch_counters(int(chosen["counters"]))
    code = library.opsight_torch_open(os.fsencode(directory), limit, flags, ctypes.byref(window))
    if code < 0:
        return None, "the observer does not fit this build of PyTorch"
    if code > 0:
        say(f"not recording: no capture file could be made in {directory}: {os.strerror(code)}")
        return None, None
    global recording
    recording = True
    for key, value in _properties(torch):
        library.opsight_torch_property(key.encode(), value.encode("utf-8", "replace"))
    return library, None


def finish_at_exit(library, torch):
    """Also in processes that multiprocessing forks: these end without what atexit runs."""
    atexit.register(finish, library, torch)

    def forked(observer):
        util.Finalize(None, finish, (observer, torch), exitpriority=-1000)

    util.register_after_fork(library, forked)


def finish(library, torch):
    try:
        library.opsight_torch_property(b"torch_threads", str(torch.get_num_threads()).encode())
        library.opsight_torch_finish()
    except Exception as problem:
        say(f"the capture was not closed: {problem!r}")
