"""Fault: of an embedding's 200 000 rows 32 are used, and all get a gradient and a step. Fix: a sparse gradient."""
import torch
from torch import nn
import training

ROWS = 200_000


def main():
    chosen = training.options(__doc__)
    words = nn.EmbeddingBag(ROWS, 64, sparse=chosen.fixed, mode="sum")
    trainer = training.Trainer(training.Beside(nn.Sequential(words, nn.Linear(64, training.CLASSES))))
    training.train(training.same_batch(chosen, torch.randint(0, ROWS, (training.BATCH, 4))), trainer.step)


if __name__ == "__main__":
    main()
