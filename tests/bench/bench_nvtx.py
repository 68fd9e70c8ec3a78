#!/usr/bin/env python3
"""What recording NVTX costs a program, in turns with a bare run, with a tool that does nothing, and with the floor: a
tool that reads the clock twice and stores into memory that is there. Readings cost from 7 to 20 ns, by the machine: the
goals in nanoseconds were set where the floor is 21 ns, the ratios to the floor say the same of any machine.

A round is 100 000 pairs. Other work of the machine only ever adds time: the best round of all turns is told, and the
median of a run, which holds the making of fresh pages for the recording too. The last line records 100 million ranges.
"""
import glob
import os
import shutil
import subprocess

from bench_tools import FOLDER, program, result

LIB = os.path.join(os.path.dirname(program("opsight")), "..", "lib")
OURS, NOTHING, FLOOR = (os.path.join(LIB, f"lib{name}.so") for name in ("opsight_nvtx", "nvtx_nothing", "nvtx_floor"))
# The floor where the goals were set.
FLOOR_NS = 21
GOALS = {"push": ("push + pop", 30), "start": ("start + end", 45), "domain": ("push + pop, domain and registered text", 30)}
TURNS = 5


def rounds(kind, tool, count=20, threads=1, limit=1 << 30):
    folder = os.path.join(FOLDER, "captures")
    os.makedirs(folder)
    environment = dict(os.environ, OPSIGHT_CAPTURE_DIR=folder, OPSIGHT_LIMIT_BYTES=str(limit))
    environment.pop("NVTX_INJECTION64_PATH", None)
    if tool:
        environment["NVTX_INJECTION64_PATH"] = tool
    done = subprocess.run([program("nvtx_pairs"), kind, str(count), str(threads)], env=environment, check=True,
                          capture_output=True, text=True)
    written = sum(os.stat(path).st_blocks * 512 for path in glob.glob(os.path.join(folder, "*")))
    shutil.rmtree(folder)
    return [tuple(map(float, line.split())) for line in done.stdout.splitlines()], written


def bench_kind(kind):
    what, goal = GOALS[kind]
    found = {None: [], NOTHING: [], FLOOR: [], OURS: []}
    for _ in range(TURNS):
        for tool, values in found.items():
            values.extend(rounds(kind, tool)[0])
    best = {tool: min(value[1] for value in values) for tool, values in found.items()}
    medians = sorted(value[0] for value in found[OURS])
    result(f"nvtx: {what}, no tool", best[None], "ns")
    result(f"nvtx: {what}, a tool that does nothing", best[NOTHING], "ns")
    result(f"nvtx: {what}, the floor", best[FLOOR], "ns")
    result(f"nvtx: {what}, recorded", best[OURS], "ns", f"<= {goal}")
    result(f"nvtx: {what}, recorded / the floor", best[OURS] / best[FLOOR], "", f"<= {goal / FLOOR_NS:.2f}")
    result(f"nvtx: {what}, recorded, median with fresh pages", medians[len(medians) // 2], "ns")


def bench_threads():
    one, two = (min(value[1] for _ in range(TURNS) for value in rounds("push", OURS, threads=threads)[0])
                for threads in (1, 2))
    result("nvtx: push + pop on 2 threads / on 1", two / one, "", "<= 1.5")


def soak():
    values, written = rounds("push", OURS, 1000, limit=256 << 20)
    result("nvtx: 100 million ranges with a limit of 256 MB, median round", values[0][0], "ns")
    result("nvtx: disk used by them", written / 1e6, "MB", "<= 270")


for name in GOALS:
    bench_kind(name)
bench_threads()
soak()
