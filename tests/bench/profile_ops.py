"""What bench_profile.py measures per op: passes of ops that cost little by themselves, as JSON.

For each kind of op the quickest pass, in ns of the thread per call: other work of the machine only ever adds time.
Prints to the file given, so that the output stays empty. A third argument names a library to load first.
"""
import ctypes
import json
import sys
import time

import torch

CALLS = 20000  # half a megabyte of capture: a pass has its share of the work per block

torch.set_num_threads(1)
x, y = torch.ones(4), torch.ones(4)
w = torch.ones(4, requires_grad=True)
mlp = torch.nn.Sequential(*(torch.nn.Linear(16, 16) for _ in range(4)))
optimizer = torch.optim.Adam(mlp.parameters(), foreach=False)
batch = torch.ones(8, 16)


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


def training():
    for _ in range(CALLS // 200):
        optimizer.zero_grad()
        mlp(batch).sum().backward()
        optimizer.step()


def quickest_pass(body, passes):
    times = []
    for _ in range(passes):
        begin = time.thread_time_ns()
        body()
        times.append((time.thread_time_ns() - begin) / CALLS)
    return min(times)


def ops_of(body):
    """Op events of a call, by PyTorch's own count; only asked for in a run of its own."""
    with torch.autograd.profiler_legacy.profile() as own:
        body()
    return sum(event.name.startswith("aten::") for event in own.function_events) / CALLS


def main():
    if len(sys.argv) > 3:
        ctypes.CDLL(sys.argv[3])
    bodies = {"in place": in_place, "views": views, "new tensor": fresh, "with gradient": with_gradient,
              "MLP with Adam": training}
    if sys.argv[2] == "count":
        figures = {name: ops_of(body) for name, body in bodies.items()}
    else:
        figures = {name: quickest_pass(body, int(sys.argv[2])) for name, body in bodies.items()}
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(figures, file)


if __name__ == "__main__":
    main()
