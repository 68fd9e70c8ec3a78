#!/usr/bin/env python3
"""What `opsight profile` costs the program that it records, against the bare program.

Bare and recorded runs take turns, and so do runs with an observer that records nothing (--duration of a
microsecond): what PyTorch itself takes to call an observer. Per op: median over the turns of the difference
of the two runs beside each other. The example: its own time from first to last step, the quickest run of each
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


def recorded(options, command):
    profile = os.path.join(FOLDER, "bench.opsight")
    return [program("opsight"), "profile", "--force", "-o", profile, *options, "--", *command]


def ops_run(wrap, mode="12"):
    figures = os.path.join(FOLDER, "figures.json")
    measured(wrap([PYTHON, os.path.join(HERE, "profile_ops.py"), figures, mode]))
    return json.loads(pathlib.Path(figures).read_text(encoding="utf-8"))


def bare(command):
    return command


def bench_ops():
    events = ops_run(bare, "count")
    costs = {name: [] for name in events}
    idle, with_memory = [], []

    def per_event(run, plain):
        return sum(run[name] - plain[name] for name in events) / sum(events.values())

    for _ in range(TURNS):
        plain = ops_run(bare)
        nothing = ops_run(lambda command: recorded(NOTHING, command))
        full = ops_run(lambda command: recorded(["--no-memory"], command))
        with_memory.append(per_event(ops_run(lambda command: recorded([], command)), plain))
        for name, count in events.items():
            costs[name].append((full[name] - plain[name]) / count)
        idle.append(per_event(nothing, plain))
    for name, values in costs.items():
        result(f"profile: per op event with shapes and dtypes, {name}", float(statistics.median(values)), "ns")
    total = [sum(costs[name][turn] * events[name] for name in events) / sum(events.values()) for turn in range(TURNS)]
    result("profile: per op event with shapes and dtypes, all of these", float(statistics.median(total)), "ns", "<= 200")
    result("profile: the same with allocations recorded too", float(statistics.median(with_memory)), "ns")
    result("profile: per op event, recording nothing", float(statistics.median(idle)), "ns")


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
