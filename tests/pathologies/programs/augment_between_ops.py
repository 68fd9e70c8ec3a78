"""Fault: pictures are augmented by Python in the loop, between the ops. Fix: by ops of the framework, all at once."""
import random

import torch
import training


ROUNDS = 4


def by_hand(batch):
    """Mirrors pictures and makes them brighter, number by number."""
    rows = batch.tolist()
    for picture in rows * ROUNDS:
        factor = random.uniform(0.8, 1.2)
        for channel in picture:
            for row in channel:
                row[:] = [factor * row[-1 - column] for column in range(len(row))]
    return torch.tensor(rows)


def at_once(batch):
    for _ in range(ROUNDS):
        batch = batch.flip(3) * torch.empty(len(batch), 1, 1, 1).uniform_(0.8, 1.2)
    return batch


def main():
    chosen = training.options(__doc__)
    random.seed(0)
    trainer = training.Trainer()
    augment = at_once if chosen.fixed else by_hand
    training.train(training.same_batch(chosen), lambda batch: trainer.step((augment(batch[0]), batch[1])))


if __name__ == "__main__":
    main()
