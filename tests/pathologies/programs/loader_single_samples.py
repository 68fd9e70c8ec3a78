"""Fault: 4096 samples of 16 numbers are fetched and put together one by one. Fix: the data set gives slices."""
import torch
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, SequentialSampler
import training

SAMPLES = 4096


class Rows(Dataset):
    def __init__(self, length):
        self.inputs = torch.randn(length, 16)
        self.labels = torch.arange(length) % training.CLASSES

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.inputs[index], self.labels[index]


def main():
    chosen = training.options(__doc__)
    data = Rows(SAMPLES * (training.WARM + chosen.iterations))
    if chosen.fixed:
        loader = DataLoader(data, batch_size=None, sampler=BatchSampler(SequentialSampler(data), SAMPLES, False))
    else:
        loader = DataLoader(data, batch_size=SAMPLES)
    model = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, training.CLASSES))
    training.train(loader, training.Trainer(model).step)


if __name__ == "__main__":
    main()
