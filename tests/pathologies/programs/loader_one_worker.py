"""Fault: one worker cannot keep up with the training. Fix: six of them.

Reading takes 8 ms of waiting for each picture.
"""
import time

from torch.utils.data import DataLoader, Dataset
import training


class Remote(Dataset):
    def __init__(self, length):
        self.length = length
        self.pictures, self.labels = training.pictures()

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        time.sleep(0.008)
        index %= training.BATCH
        return self.pictures[index], self.labels[index]


def main():
    chosen = training.options(__doc__)
    data = Remote(training.BATCH * (training.WARM + chosen.iterations))
    loader = DataLoader(data, training.BATCH, num_workers=6 if chosen.fixed else 1)
    training.train(loader, training.Trainer(training.network(64)).step, clock=time.perf_counter)


if __name__ == "__main__":
    main()
