"""Where the observer does not fit: torch.profiler, if it can write a trace, for a bounded part of the run.

Recording begins with the first call of a module in the main process, so that nothing is set up before the program
forks, and ends after `record_iterations` optimizer steps, after `duration_s`, or at the program's end.
"""
import atexit
import os
import time

from . import steps
from .say import say

DEFAULT_ITERATIONS = 50  # torch.profiler keeps everything in memory


def start(torch, chosen, why_not):
    available = getattr(getattr(torch, "profiler", None), "kineto_available", None)
    if available is None or not available():
        say(f"not recording: {why_not}, and this PyTorch has no Kineto to record with instead")
        return
    say(f"{why_not}: recording with torch.profiler instead")
    _leave_cuda_to(torch.profiler)
    _Recording(torch, chosen).wait()


def _leave_cuda_to(profiler):
    """Only one tool of a process can have CUPTI. Where torch.profiler uses it, ops and kernels come from one hand, and
    the library of ours that the driver would load as it starts is not wanted."""
    supported = getattr(profiler, "supported_activities", set)()
    if any(getattr(activity, "name", "") == "CUDA" for activity in supported):
        os.environ.pop("CUDA_INJECTION64_PATH", None)


class _Recording:
    def __init__(self, torch, chosen):
        self._torch = torch
        self._chosen = chosen
        self._pid = os.getpid()
        self._profiler = None
        self._over = False
        self._steps = 0
        self._begin = time.monotonic()
        self._skip = int(chosen.get("skip_iterations", 0))
        self._keep = int(chosen.get("record_iterations", 0)) or DEFAULT_ITERATIONS
        self._delay = float(chosen.get("delay_s", 0))
        self._duration = float(chosen.get("duration_s", 0))

    def wait(self):
        module, optimizer = self._torch.nn.Module, self._torch.optim.Optimizer
        call, recording = module.__call__, self

        def __call__(self, *args, **kwargs):
            recording.safely(recording.before_module)
            return call(self, *args, **kwargs)

        module.__call__ = __call__
        steps.watch(optimizer, self._around_step)
        atexit.register(self.safely, self.stop)

    def _around_step(self, step, _):
        recording = self

        def counted(self, *args, **kwargs):
            result = step(self, *args, **kwargs)
            recording.safely(recording.after_step)
            return result

        return counted

    def safely(self, action):
        if self._over or os.getpid() != self._pid:
            return
        try:
            action()
        except Exception as problem:
            self._over = True
            say(f"recording ended: {problem!r}")

    def before_module(self):
        elapsed = time.monotonic() - self._begin
        if self._duration and elapsed > self._delay + self._duration:
            self.stop()
        elif self._profiler is None and elapsed >= self._delay and self._steps >= self._skip:
            self._profiler = self._torch.profiler.profile(
                record_shapes=bool(self._chosen.get("shapes", True)),
                profile_memory=bool(self._chosen.get("memory", True)),
                with_modules=bool(self._chosen.get("modules", True)),
            )
            self._profiler.start()

    def after_step(self):
        self._steps += 1
        if self._profiler is not None:
            self._profiler.step()
        if self._steps >= self._skip + self._keep:
            self.stop()

    def stop(self):
        self._over = True
        if self._profiler is None:
            return
        self._profiler.stop()
        path = os.path.join(os.environ["OPSIGHT_CAPTURE_DIR"], f"{self._pid}.pt.trace.json")
        self._profiler.export_chrome_trace(path)
