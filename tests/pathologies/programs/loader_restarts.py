"""Fault: workers are started anew for each epoch of twelve batches. Fix: they stay (persistent_workers)."""
import time

from torch.utils.data import DataLoader, TensorDataset
import training

EPOCH = 12  # batches


def epochs(loader, count):
    for _ in range(count):
        yield from loader


def main():
    chosen = training.options(__doc__)
    data = TensorDataset(*training.pictures(training.BATCH * EPOCH))
    loader = DataLoader(data, training.BATCH, num_workers=2, persistent_workers=chosen.fixed)
    count = -(-(training.WARM + chosen.iterations) // EPOCH)
    training.train(epochs(loader, count), training.Trainer().step, period=EPOCH, clock=time.perf_counter)


if __name__ == "__main__":
    main()
