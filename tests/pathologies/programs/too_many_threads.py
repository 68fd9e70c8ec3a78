"""Fault: short ops are split among 32 threads on a machine with fewer cores. Fix: one thread, which is enough for them."""
import torch
import training


def main():
    chosen = training.options(__doc__)
    torch.set_num_threads(1 if chosen.fixed else 32)
    training.train(training.same_batch(chosen), training.Trainer().step)


if __name__ == "__main__":
    main()
