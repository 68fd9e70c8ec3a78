#!/usr/bin/env python3
"""Time from starting `opsight sweep FOLDER` on 200 points of 1,000 ops to its tables, beside that of reading the same folder as
plain JSON; and what a sweep adds to the runs that it measures."""

import json
import os
import re
import subprocess
import sys
import time

from bench_tools import FOLDER, HERE, measured, program, result

POINTS, OPS = 200, 1000
WORKLOAD = os.path.join(HERE, "..", "..", "examples", "workloads", "vgg.py")


def kept_run(maker, scale):
    ops = [[f"/net/{i % 50}", f"aten::op{i}", "fprop", 1000.0 * scale + i, 0.0, 1.0, 10.0 * scale] for i in range(OPS)]
    return {"layout": 1, "made_by": maker, "times_ns": [1_000_000 * scale + i for i in range(8)], "whole": False,
            "left_out": 1, "found_by": "optimizer_step", "device_work": False, "ops": ops, "kernels": []}


def make_folder(folder):
    """What a sweep of that many points keeps: made by the program once for one point, and repeated for the others."""
    values = [str(value) for value in range(1, POINTS + 1)]
    runs = os.path.join(folder, "runs")
    with open(os.path.join(runs, "batch=1.1.json"), encoding="utf-8") as file:
        maker = json.load(file)["made_by"]
    with open(os.path.join(folder, "sweep.json"), encoding="utf-8") as file:
        plan = json.load(file)
    plan["parameters"][0]["values"] = values
    with open(os.path.join(folder, "sweep.json"), "w", encoding="utf-8") as file:
        json.dump(plan, file)
    with open(os.path.join(folder, "runs.jsonl"), encoding="utf-8") as file:
        line = json.loads(file.readline())
    with open(os.path.join(folder, "runs.jsonl"), "w", encoding="utf-8") as file:
        for value in values:
            file.write(json.dumps({**line, "point": f"batch={value}"}) + "\n")
    for value in values:
        with open(os.path.join(runs, f"batch={value}.1.json"), "w", encoding="utf-8") as file:
            json.dump(kept_run(maker, int(value)), file)


def trace(path):
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100 * i, "dur": 50} for i in range(20)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)


def opening():
    pattern, folder = os.path.join(FOLDER, "b{batch}.json"), os.path.join(FOLDER, "wide")
    trace(pattern.format(batch=1))
    measured([program("opsight"), "sweep", "--vary", "batch=1", "--from", pattern, "-o", folder])
    make_folder(folder)
    seconds = min(measured([program("opsight"), "sweep", folder]).seconds for _ in range(3))
    begin = time.perf_counter()
    for name in os.listdir(os.path.join(folder, "runs")):
        with open(os.path.join(folder, "runs", name), encoding="utf-8") as file:
            json.load(file)
    plain = time.perf_counter() - begin
    result(f"a sweep of {POINTS} points x {OPS} ops: tables", seconds, "s", "<= 1")
    result("... over the time of reading its files with Python's json", seconds / plain, "")


def added():
    """Of a network whose runs take some 10 s each on one core."""
    python = os.environ.get("OPSIGHT_PYTHON")
    if not python:
        print("*** SKIPPED: what a sweep adds needs PyTorch ***", file=sys.stderr)
        return
    done = subprocess.run([program("opsight"), "sweep", "--vary", "batch=32,64", "--repeat", "1", "-o",
                           os.path.join(FOLDER, "added"), "--", python, WORKLOAD, "--batch", "{batch}", "--steps", "24"],
                          check=True, capture_output=True, text=True)
    told = re.search(r"the runs took ([\d.]+) s, the sweep added ([\d.]+) s", done.stderr)
    result(f"a sweep adds, to runs of {float(told[1]) / 4:.0f} s on average", 100 * float(told[2]) / float(told[1]), "%", "<= 2")


if __name__ == "__main__":
    opening()
    added()
