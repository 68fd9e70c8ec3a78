"""Fault: each batch is made of Python's lists of numbers. Fix: of one array."""
import numpy
import torch
from torch import nn
import training

WIDTH = 64


def main():
    chosen = training.options(__doc__)
    table = nn.Sequential(nn.AvgPool1d(WIDTH), nn.Flatten(), nn.Linear(16 * WIDTH, training.CLASSES))
    trainer = training.Trainer(training.Beside(table))
    shape = training.BATCH, 16 * WIDTH, WIDTH
    array = numpy.random.default_rng(0).standard_normal(shape, dtype=numpy.float32)
    lists = array.tolist()

    def step(batch):
        pictures, labels = batch
        made = torch.from_numpy(array) if chosen.fixed else torch.tensor(lists)
        trainer.step(((pictures, made), labels))

    training.train(training.same_batch(chosen), step)


if __name__ == "__main__":
    main()
