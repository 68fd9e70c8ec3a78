"""Builds the observer for the PyTorch that a program uses, once, with the machine's C++ compiler.

The result lies in the user's cache, under a name that stands for that very PyTorch, this machine and the sources.
Where the cache cannot be used it lies in the folder of the run's captures, and serves this run only.
"""
import contextlib
import fcntl
import hashlib
import os
import platform
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

from .say import say

LIMIT_S = 180
# Ours, and what would change the compiler: it is no part of the program.
_NOT_FOR_THE_COMPILER = re.compile(
    "OPSIGHT_|PYTHON|LD_PRELOAD$|LD_AUDIT$|(CUDA|NVTX)_INJECTION|DEPENDENCIES_OUTPUT$|SUNPRO_DEPENDENCIES$"
)
# Runs "$@". Its input is a pipe from the program: when that ends, however it does, all of this ends too.
_GUARD = """
exec 3<&0 </dev/null
"$@" 3<&- &
command=$!
{ read -r _ <&3; kill -KILL 0; } &
guard=$!
wait $command
code=$?
kill $guard
exit $code
"""


class Unbuilt(Exception):
    """Why there is no observer for this PyTorch, and what helps."""


def loaded_library(name):
    """Path of the loaded lib<name>.so, whatever version its file name has."""
    pattern = re.compile(rf"lib{name}(-[0-9a-f]+)?\.so(\.|$)")
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line.rstrip("\n").split(maxsplit=5)[5:]
            if path and pattern.match(os.path.basename(path[0])):
                return path[0]
    return None


def observer_for(torch):
    """Path of an observer for this PyTorch, from the cache or newly built."""
    sources = os.environ.get("OPSIGHT_OBSERVER_SOURCES", "")
    if not sources:
        raise Unbuilt("its sources are missing from this Opsight: install it again")
    libraries = [loaded_library(name) for name in ("torch_cpu", "c10")]
    if not all(path and os.path.isfile(path) for path in libraries):
        raise Unbuilt("this PyTorch has no libtorch_cpu.so and libc10.so to link with")
    key = _key(torch, libraries, sources)
    cache, captures = cache_folder(), os.environ["OPSIGHT_CAPTURE_DIR"]
    for folder in filter(None, (cache, captures)):
        if _is_ours(os.path.join(folder, key + ".so")):
            return os.path.join(folder, key + ".so")
    kept = cache is not None and os.access(cache, os.W_OK)
    return _build_once(torch, libraries, sources, os.path.join(cache if kept else captures, key), kept)


def cache_folder():
    """The user's private folder for what is kept from run to run, or None. Nobody else may put a library there."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        if not os.path.isabs(base):
            home = os.path.expanduser("~")
            if not os.path.isabs(home) or os.stat(home).st_uid != os.geteuid():
                return None
            base = os.path.join(home, ".cache")
        folder = os.path.join(base, "opsight")
        with contextlib.suppress(OSError):
            os.makedirs(folder, 0o700)
        found = os.lstat(folder)
    except OSError:
        return None
    private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
    return folder if private else None


def _is_ours(path):
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _key(torch, libraries, sources):
    told = hashlib.sha256()

    def tell(*facts):
        told.update(repr(facts).encode("utf-8", "surrogateescape"))

    tell(torch.__version__, getattr(torch.version, "git_version", ""), _cxx11_abi(torch))
    tell(platform.machine(), platform.libc_ver())
    for path in libraries:
        found = os.stat(path)
        tell(path, found.st_size, found.st_mtime_ns)
    for folder, folders, names in os.walk(sources):
        folders.sort()
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as file:
                tell(name, file.read())
    return f"observer-{_version(torch)}-{told.hexdigest()[:24]}"


def _version(torch):
    found = re.match(r"\d+\.\d+\.\d+", str(torch.__version__))
    return found.group() if found else "unknown"


def _cxx11_abi(torch):
    return int(bool(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True)))


def _build_once(torch, libraries, sources, target, kept):
    """One of several processes builds, the others wait for it. What failed is not tried again in the same run."""
    failure = os.path.join(os.environ["OPSIGHT_CAPTURE_DIR"], os.path.basename(target) + ".failed")
    began = time.monotonic()
    try:
        with _locked(target + ".lock"):
            if _is_ours(target + ".so"):
                return target + ".so"
            if _is_ours(failure):
                with open(failure, encoding="utf-8") as file:
                    raise Unbuilt(file.read())
            try:
                return _build(torch, libraries, sources, target, kept)
            except (Unbuilt, OSError) as problem:
                with contextlib.suppress(OSError), open(failure, "w", encoding="utf-8") as file:
                    file.write(str(problem))
                raise Unbuilt(str(problem)) from problem
    finally:
        _begin_later(time.monotonic() - began)


def _begin_later(seconds):
    """The delay and the duration of a run count from its beginning: this time is not the program's."""
    began = os.environ.get("OPSIGHT_BEGAN_NS", "")
    if began.isdigit():
        os.environ["OPSIGHT_BEGAN_NS"] = str(int(began) + int(seconds * 1e9))


@contextlib.contextmanager
def _locked(path):
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        until = time.monotonic() + LIMIT_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Unbuilt(f"another process has not done it within {LIMIT_S} s") from None
                time.sleep(0.1)
            except OSError:  # a file system without locks: two builds do each other no harm
                break
        yield
    finally:
        os.close(file)


def _build(torch, libraries, sources, target, kept):
    headers = _headers(torch, libraries[0])
    compiler = _compiler()
    say(f"building the observer for PyTorch {_version(torch)}, {'once' if kept else 'for this run'}; about 20 s")
    _clean_up(target)
    work = tempfile.mkdtemp(prefix=os.path.basename(target) + ".", dir=os.path.dirname(target))
    try:
        log, built = os.path.join(work, "log"), os.path.join(work, "observer.so")
        command = [*compiler, *_options(compiler, sources, work), f"-D_GLIBCXX_USE_CXX11_ABI={_cxx11_abi(torch)}",
                   "-I" + sources, "-I" + headers, *_translation_units(sources), *libraries, "-ldl", "-o", built]
        code = _run(command, work, log)
        if code != 0 or not os.path.exists(built):
            raise Unbuilt(_what_failed(command, code, log, target, kept))
        os.chmod(built, 0o700)
        os.replace(built, target + ".so")
        return target + ".so"
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _clean_up(target):
    """What builds left that were killed. The lock is ours; the age is for file systems without locks."""
    folder, name = os.path.split(target)
    for entry in os.listdir(folder):
        path = os.path.join(folder, entry)
        with contextlib.suppress(OSError):
            if entry.startswith(name + ".") and os.path.isdir(path) and time.time() - os.stat(path).st_mtime > 2 * LIMIT_S:
                shutil.rmtree(path, ignore_errors=True)


def _headers(torch, libtorch):
    """The folder of the headers of this very version: with PyTorch itself, or of the distribution."""
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(libtorch))), "include")
    own = os.path.join(os.path.dirname(torch.__file__), "include")
    for folder in (own, beside, os.path.join(sys.prefix, "include"), "/usr/local/include", "/usr/include"):
        if os.path.exists(os.path.join(folder, "ATen/record_function.h")) and _version_of(folder) == _version(torch):
            return folder
    raise Unbuilt(f"the C++ headers of PyTorch {_version(torch)} are not there (Debian: apt-get install libtorch-dev)")


def _version_of(headers):
    numbers = {}
    for place in ("torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"):
        with contextlib.suppress(OSError), open(os.path.join(headers, place), encoding="utf-8") as file:
            numbers.update(re.findall(r"#define TORCH_VERSION_(MAJOR|MINOR|PATCH) (\d+)", file.read()))
    return ".".join(numbers.get(part, "?") for part in ("MAJOR", "MINOR", "PATCH"))


def _compiler():
    for command in (shlex.split(os.environ.get("CXX", "")), ["g++"], ["c++"], ["clang++"]):
        if command and shutil.which(command[0]):
            return command
    raise Unbuilt("there is no C++ compiler: install g++ or clang++, or name one with CXX")


def _translation_units(sources):
    units = []
    for folder, _, names in os.walk(sources):
        units += [os.path.join(folder, name) for name in names if name.endswith(".cpp")]
    return sorted(units)


def _options(compiler, sources, work):
    """Those of Opsight's own build. One that begins with "?" is used where the compiler knows it."""
    with open(os.path.join(sources, "options"), encoding="ascii") as file:
        listed = file.read().split()
    chosen = ["-fPIC", "-shared", "-pthread", "-w"]
    for option in listed:
        if not option.startswith("?"):
            chosen.append(option)
        elif _run([*compiler, "-Werror", option[1:], "-fsyntax-only", "-x", "c++", os.devnull], work, os.devnull) == 0:
            chosen.append(option[1:])
    return chosen


def _run(command, work, log):
    """Exit code of the command; it and all that it starts end with us, or when the time is over (then None)."""
    env = {key: value for key, value in os.environ.items() if not _NOT_FOR_THE_COMPILER.match(key)}
    env.update(TMPDIR=work, LC_ALL="C")
    with open(log, "ab") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", *command],
            stdin=subprocess.PIPE, stdout=output, stderr=output, cwd=work, env=env, start_new_session=True,
        )
    try:
        return process.wait(LIMIT_S)
    except BaseException as problem:  # a Ctrl-C too
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(problem, subprocess.TimeoutExpired):
            return None
        raise
    finally:
        process.stdin.close()


def _what_failed(command, code, log, target, kept):
    """The reason in a line, and where all of it stands."""
    with open(log, encoding="utf-8", errors="replace") as file:
        said = file.read()
    if kept:
        path = target + ".log"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    else:
        handle, path = tempfile.mkstemp(prefix="opsight-observer-", suffix=".log")
    with open(handle, "w", encoding="utf-8") as file:
        file.write(f"{shlex.join(command)}\n{said}")
    if code is None:
        return f"{command[0]} was not done within {LIMIT_S} s; see {path}"
    errors = [line.strip() for line in said.splitlines() if "error" in line.lower()]
    reason = errors[0] if errors else f"{command[0]} ended with {code}"
    return f"{reason}; another compiler can be named with CXX, all that this one said is in {path}"
