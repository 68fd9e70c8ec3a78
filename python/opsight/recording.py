"""with opsight.profile("run.opsight"): records a part of a running program.

torch.profiler records where this PyTorch has one that writes traces: ops, CUDA, calls of modules. Else Opsight's observer
does, on the CPU and once in a process. For whole programs `opsight profile -- python3 train.py` records more and
disturbs less.
"""
import os
import shutil
import sys
import tempfile
from typing import Any, Dict, List, Optional, Union

from . import program
from .reading import Profile

_used_observer = False


class profile:
    """Records what happens within the `with`, in this process, and writes a profile when that ends.

    path: the profile to write. force: replace the file that is there. shapes, memory, modules: record shapes of
    ops, allocations, calls of nn.Module. After the `with`, `result` is the opened profile; None where the body raised
    before anything was recorded. OpsightError: PyTorch is not installed, nothing can record, or the file is there.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"] = "profile.opsight", *, force: bool = False,
                 shapes: bool = True, memory: bool = True, modules: bool = True) -> None:
        self.path = os.fspath(path)
        self.result: Optional[Profile] = None
        self._force = force
        self._chosen: Dict[str, Any] = {"shapes": shapes, "memory": memory, "modules": modules}
        self._recorder: Any = None
        self._folder = ""

    def __enter__(self) -> "profile":
        if program.find() is None:
            raise program.OpsightError("the program opsight, which writes the profile, is not found: put it on PATH")
        if os.path.exists(self.path) and not self._force:
            raise program.OpsightError(f"{self.path}: exists already (force=True replaces it)")
        if os.environ.get("OPSIGHT_CAPTURE_DIR"):
            raise program.OpsightError("this program is recorded by 'opsight profile' already")
        self._folder = tempfile.mkdtemp(prefix="opsight-")
        try:
            self._recorder = _recorder(self._folder, self._chosen)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        return self

    def step(self) -> None:
        """An iteration ends here; needed where no optimizer of PyTorch steps."""
        self._recorder.step()

    def __exit__(self, *_: object) -> None:
        try:
            files = self._recorder.finish()
            replace = ["--force"] if self._force else []
            program.run("import", *files, "-o", self.path, *replace)
            self.result = Profile(self.path)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _repr_html_(self) -> Optional[str]:
        return self.result._repr_html_() if self.result is not None else None


def _recorder(folder: str, chosen: Dict[str, Any]) -> Any:
    try:
        import torch
    except ImportError as problem:
        raise program.OpsightError("PyTorch is not installed: opsight.profile records its ops") from problem
    available = getattr(getattr(torch, "profiler", None), "kineto_available", None)
    if available is not None and available():
        return _Kineto(torch, folder, chosen)
    return _Observer(torch, folder, chosen)


class _Kineto:
    def __init__(self, torch: Any, folder: str, chosen: Dict[str, Any]) -> None:
        self._path = os.path.join(folder, "trace.pt.trace.json")
        self._profiler = torch.profiler.profile(record_shapes=chosen["shapes"], profile_memory=chosen["memory"],
                                                with_stack=chosen["modules"])
        self._profiler.start()

    def step(self) -> None:
        self._profiler.step()

    def finish(self) -> List[str]:
        self._profiler.stop()
        self._profiler.export_chrome_trace(self._path)
        return [self._path]


class _Observer:
    def __init__(self, torch: Any, folder: str, chosen: Dict[str, Any]) -> None:
        global _used_observer
        from . import observer

        if _used_observer:
            raise program.OpsightError("Opsight's observer records once in a process, and this PyTorch has no Kineto: "
                                       "start the program again")
        self._torch, self._folder, self._observer = torch, folder, observer
        before = {name: os.environ.get(name) for name in ("OPSIGHT_CAPTURE_DIR", "OPSIGHT_OBSERVER")}
        os.environ["OPSIGHT_CAPTURE_DIR"] = folder
        os.environ["OPSIGHT_OBSERVER"] = _library() or ""
        try:
            self._library, why_not = observer.begin(torch, chosen)
        finally:
            for name, value in before.items():
                os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        if self._library is None:
            raise program.OpsightError(f"nothing can record here: {why_not or 'no capture could be made'}")
        _used_observer = True
        from . import calls

        calls.observe(torch, self._library, chosen["modules"])

    def step(self) -> None:
        raise program.OpsightError("without Kineto an iteration ends with a step of a PyTorch optimizer only")

    def finish(self) -> List[str]:
        self._observer.finish(self._library, self._torch)
        return [self._folder]


def _library() -> Optional[str]:
    """The observer that came with the program: PREFIX/lib or the build's."""
    found = program.find()
    folder = os.path.dirname(os.path.realpath(found)) if found else sys.prefix
    for place in ("", "../lib", "../lib/opsight"):
        path = os.path.normpath(os.path.join(folder, place, "libopsight_torch.so"))
        if os.path.exists(path):
            return path
    return None
