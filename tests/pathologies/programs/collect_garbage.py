"""Fault: every step has Python look for garbage among a million objects. Fix: what stays is taken out of its sight."""
import gc

import training


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer()
    samples = [[number] for number in range(200_000)]
    if chosen.fixed:
        gc.freeze()

    def step(batch):
        trainer.step(batch)
        gc.collect()

    training.train(training.same_batch(chosen), step)
    assert samples


if __name__ == "__main__":
    main()
