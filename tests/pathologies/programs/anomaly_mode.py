"""Fault: autograd's anomaly mode was left on. Fix: off."""
import torch
from torch import nn
import training


def main():
    chosen = training.options(__doc__)
    torch.autograd.set_detect_anomaly(not chosen.fixed)
    activations = [activation for _ in range(12) for activation in (nn.Tanh(), nn.Softmax(1))]
    trainer = training.Trainer(nn.Sequential(nn.Conv2d(3, 32, 1), *activations, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                             nn.Linear(32, training.CLASSES)))
    training.train(training.same_batch(chosen), trainer.step)


if __name__ == "__main__":
    main()
