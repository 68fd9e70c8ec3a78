"""What bench_profile.py measures per op: passes of ops that cost little by themselves, as JSON.

For each kind of op the median pass, in ns per call. Prints to the file given, so that the output stays empty.
"""
import json
import statistics
import sys
import time

import torch

CALLS = 20000  # half a megabyte of capture: a pass has its share of the work per block

torch.set_num_threads(1)
x, y = torch.ones(4), torch.ones(4)
w = torch.ones(4, requires_grad=True)


def in_place():
    for _ in range(CALLS):
        x.add_(y)


def views():
    for _ in range(CALLS):
        x.t()


def fresh():
    for _ in range(CALLS):
        torch.add(x, y)


def with_gradient():
    for _ in range(CALLS):
        w.mul(y)


def median_pass(body, passes):
    times = []
    for _ in range(passes):
        begin = time.perf_counter_ns()
        body()
        times.append((time.perf_counter_ns() - begin) / CALLS)
    return statistics.median(times)


def ops_of(body):
    """Op events of a call, by PyTorch's own count; only asked for in a run of its own."""
    with torch.autograd.profiler_legacy.profile() as own:
        body()
    return sum(event.name.startswith("aten::") for event in own.function_events) / CALLS


def main():
    bodies = {"in place": in_place, "views": views, "new tensor": fresh, "with gradient": with_gradient}
    if sys.argv[2] == "count":
        figures = {name: ops_of(body) for name, body in bodies.items()}
    else:
        figures = {name: median_pass(body, int(sys.argv[2])) for name, body in bodies.items()}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(figures, file)


if __name__ == "__main__":
    main()
