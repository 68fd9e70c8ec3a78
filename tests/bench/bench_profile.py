#!/usr/bin/env python3
"""What `opsight profile` costs the program that it records, against the bare program.

Bare and recorded runs take turns, and so do runs with the floor (a callback of PyTorch's own that does nothing),
with a window that has closed (--duration of a microsecond) and with one that has not opened (--skip-iterations).
Per op: median over the turns of the difference of the two runs beside each other. The example: its own time from first to last step, the quickest run of each
kind. The import at the end of a recorded run comes after the program's end and is told separately.
"""
import json
import os
import pathlib
import re
import statistics
import time

from bench_tools import FOLDER, HERE, measured, program, result

PYTHON = os.environ.get("OPSIGHT_PYTHON") or "/usr/bin/python3"
EXAMPLE = [PYTHON, os.path.join(HERE, "..", "..", "examples", "train_transformer.py"), "--steps", "20"]
TURNS = 7
NOTHING = ["--duration", "0.000001"]
WAITING = ["--skip-iterations", "1000000"]
FLOOR = os.path.join(os.path.dirname(program("opsight")), "..", "lib", "libtorch_floor.so")
TRAINING = "MLP with Adam"  # a share of its own, beside the ops


def recorded(options, command):
    profile = os.path.join(FOLDER, "bench.opsight")
    return [program("opsight"), "profile", "--force", "-o", profile, *options, "--", *command]


def ops_run(wrap, mode="12", *library):
    figures = os.path.join(FOLDER, "figures.json")
    measured(wrap([PYTHON, os.path.join(HERE, "profile_ops.py"), figures, mode, *library]))
    return json.loads(pathlib.Path(figures).read_text(encoding="utf-8"))


def bare(command):
    return command


def bench_ops():
    events = ops_run(bare, "count")
    events.pop(TRAINING)
    costs = {name: [] for name in events}
    idle, waiting, floor, with_memory, counted = [], [], [], [], []
    shares = {"recorded": [], "with the floor": [], "window closed": [], "window not open yet": []}

    def per_event(run, plain):
        return sum(run[name] - plain[name] for name in events) / sum(events.values())

    for _ in range(TURNS):
        plain = ops_run(bare)
        nothing = ops_run(lambda command: recorded(NOTHING, command))
        full = ops_run(lambda command: recorded(["--no-memory"], command))
        everything = ops_run(lambda command: recorded([], command))
        before = ops_run(lambda command: recorded(WAITING, command))
        counting = ops_run(lambda command: recorded(["--no-memory", "--counters", "cpu"], command))
        counted.append(per_event(counting, full))
        least = ops_run(bare, "12", FLOOR)
        with_memory.append(per_event(everything, plain))
        waiting.append(per_event(before, plain))
        floor.append(per_event(least, plain))
        for name, run in zip(shares, (everything, least, nothing, before)):
            shares[name].append((run[TRAINING] / plain[TRAINING] - 1) * 100)
        for name, count in events.items():
            costs[name].append((full[name] - plain[name]) / count)
        idle.append(per_event(nothing, plain))
    for name, values in costs.items():
        result(f"profile: per op event with shapes and dtypes, {name}", float(statistics.median(values)), "ns")
    total = [sum(costs[name][turn] * events[name] for name in events) / sum(events.values()) for turn in range(TURNS)]
    result("profile: per op event with shapes and dtypes, all of these", float(statistics.median(total)), "ns", "<= 200")
    result("profile: the same with allocations recorded too", float(statistics.median(with_memory)), "ns")
    result("profile: counters of the processor, all that are here, on top of that per op event",
           float(statistics.median(counted)), "ns")
    result("profile: the floor, PyTorch's own callback that does nothing", float(statistics.median(floor)), "ns")
    result("profile: per op event, window closed", float(statistics.median(idle)), "ns")
    result("profile: per op event, window not open yet", float(statistics.median(waiting)), "ns")
    for name, values in shares.items():
        result(f"profile: {TRAINING}, {name}", float(statistics.median(values)), "%",
               "<= 2" if "window" in name else "<= 15" if name == "recorded" else "-")


def example_run(wrap):
    """Seconds of the training loop, and of what `opsight profile` did before and after it."""
    begin = time.monotonic()
    run = measured(wrap(EXAMPLE))
    seconds = float(re.search(r"^([\d.]+) s$", run.output, re.MULTILINE)[1])
    return seconds, time.monotonic() - begin - seconds


def bench_example():
    """Other work of the machine only ever adds time, so the quickest runs of the turns are compared."""
    plain, nothing, full, extra = [], [], [], []
    for _ in range(TURNS):
        seconds, plain_rest = example_run(bare)
        plain.append(seconds)
        nothing.append(example_run(lambda command: recorded(NOTHING, command))[0])
        seconds, full_rest = example_run(lambda command: recorded([], command))
        full.append(seconds)
        extra.append(full_rest - plain_rest)
    result("profile: train_transformer.py, its loop", (min(full) / min(plain) - 1) * 100, "%", "<= 5")
    result("profile: the same, recording nothing", (min(nothing) / min(plain) - 1) * 100, "%")
    result("profile: start and import of that run", float(statistics.median(extra)), "s")


if __name__ == "__main__":
    bench_ops()
    bench_example()
