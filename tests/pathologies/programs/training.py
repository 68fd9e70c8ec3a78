"""What the programs share: a small network that learns, a loop that tells how long its iterations take, --fixed.

Each program has one fault, told in its first lines, and is without it with --fixed. It prints one line of JSON.
"""
import argparse
import json
import time

import torch
from torch import nn

WARM = 4  # iterations that are not counted: allocators and caches fill, workers start
BATCH = 8
SIZE = 32
CLASSES = 10


def options(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--fixed", action="store_true", help="without the fault")
    parser.add_argument("--iterations", type=int, default=24, help="beside the %d that warm up" % WARM)
    chosen = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)  # two runs beside each other would take the cores from each other
    return chosen


def network(width=32):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
        nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, CLASSES))


class Beside(nn.Module):
    """The network and something else that learns with it. Batches are pairs: pictures, and what the other takes."""

    def __init__(self, other):
        super().__init__()
        self.network = network()
        self.other = other

    def forward(self, inputs):
        return self.network(inputs[0]) + self.other(inputs[1])


class Trainer:
    def __init__(self, model=None):
        self.model = model or network()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def step(self, batch):
        pictures, labels = batch
        self.optimizer.zero_grad(set_to_none=True)
        scores = self.model(pictures)
        loss = nn.functional.cross_entropy(scores, labels)
        loss.backward()
        self.optimizer.step()
        return scores, loss


def pictures(count=BATCH):
    return torch.randn(count, 3, SIZE, SIZE), torch.arange(count) % CLASSES


def same_batch(chosen, more=None):
    """A batch that is there already, as often as there are iterations: for faults that have nothing to do with data.

    more: what the other part of Beside takes.
    """
    images, labels = pictures()
    batch = (images if more is None else (images, more)), labels
    return (batch for _ in range(WARM + chosen.iterations))


def undisturbed():
    """Seconds, without those in which this thread was ready and others had the processor."""
    with open("/proc/thread-self/schedstat", encoding="ascii") as file:
        return time.perf_counter() - int(file.read().split()[1]) / 1e9


def train(batches, step, tells=True, period=1, clock=undisturbed):
    """Calls step for each batch, and prints how long its iterations take once it is warm.

    period: after how many iterations it repeats itself; of so many the mean is told.
    clock: time.perf_counter where other processes work ahead, behind whose work a wait for the processor hides.
    """
    times = []
    begin = clock()
    for batch in batches:
        step(batch)
        now = clock()
        times.append(now - begin)
        begin = now
    steady = times[WARM:]
    if not tells:
        return
    groups = [steady[i:i + period] for i in range(0, len(steady) - period + 1, period)]
    print(json.dumps({"iteration_ms": [1000 * sum(group) / period for group in groups]}))
