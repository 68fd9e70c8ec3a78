"""What the benchmarks share: programs, traces to measure with, and measured runs of a command."""

import collections
import gzip
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("OPSIGHT_BIN_DIR", os.path.join(HERE, "..", "..", "build", "bin"))
FOLDER = os.environ.get("BENCH_DIR") or sys.exit("run it as ./dev bench (BENCH_DIR is not set)")
CORPUS = os.environ.get("OPSIGHT_CORPUS", os.path.join(HERE, "..", "..", "..", "shared", "corpus"))

Run = collections.namedtuple("Run", "seconds peak_bytes output")


def result(what, value, unit, goal="-"):
    print(f"bench\t{what}\t{value:.3g}\t{unit}\t{goal}" if isinstance(value, float) else
          f"bench\t{what}\t{value}\t{unit}\t{goal}", flush=True)


def program(name):
    return os.path.join(BIN, name)


def trace_of_corpus(name):
    path = os.path.join(CORPUS, "kineto", name)
    if not os.path.exists(path):
        print(f"*** SKIPPED: {name} is not in the corpus (OPSIGHT_CORPUS) ***", file=sys.stderr)
        sys.exit(0)
    return path


def measured(command):
    """Runs a command once; time from start to exit, and the peak of its resident memory."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output = child.stdout.read()
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {child.returncode}\n{errors}")
    return Run(seconds, usage.ru_maxrss * 1024, output)


def best(command, times=3, before=lambda: None):
    """The quickest of a few runs, with the largest memory of all."""
    runs = []
    for _ in range(times):
        before()
        runs.append(measured(command))
    return min(runs)._replace(peak_bytes=max(run.peak_bytes for run in runs))


def gunzip(source, target):
    with gzip.open(source, "rb") as packed, open(target, "wb") as plain:
        shutil.copyfileobj(packed, plain, 1 << 20)
    return target


def scaled(source, name, megabytes):
    target = os.path.join(FOLDER, name)
    subprocess.run([program("scale_trace"), source, target, "--megabytes", str(megabytes)], check=True,
                   stdout=subprocess.DEVNULL)
    return target
