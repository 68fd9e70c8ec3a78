"""Fault: each step counts a histogram of what a layer gives in Python. Fix: the framework's histogram."""
import torch
import training

BINS = 20


def counted_by_hand(values):
    counts = [0] * BINS
    for value in values.tolist():
        place = int((value + 1) * BINS / 2)
        if 0 <= place < BINS:
            counts[place] += 1
    return counts


def counted_by_op(values):
    return torch.histc(values, BINS, -1, 1).tolist()


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer()
    examined = torch.randn(100_000)
    count = counted_by_op if chosen.fixed else counted_by_hand

    def step(batch):
        trainer.step(batch)
        count(torch.tanh(examined).flatten())

    training.train(training.same_batch(chosen), step)


if __name__ == "__main__":
    main()
