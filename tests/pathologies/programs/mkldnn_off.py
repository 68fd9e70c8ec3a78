"""Fault: oneDNN is turned off, and convolutions take the slow way. Fix: on."""
import torch
import training


def main():
    chosen = training.options(__doc__)
    torch.backends.mkldnn.enabled = chosen.fixed
    training.train(training.same_batch(chosen), training.Trainer().step)


if __name__ == "__main__":
    main()
