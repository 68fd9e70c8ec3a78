"""Fault: GELU is written as eight ops that each go through memory. Fix: one op."""
import torch
from torch import nn
import training


class ByHand(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def main():
    chosen = training.options(__doc__)
    shapes = [nn.GELU() if chosen.fixed else ByHand() for _ in range(6)]
    trainer = training.Trainer(nn.Sequential(nn.Conv2d(3, 32, 1), *shapes, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                             nn.Linear(32, training.CLASSES)))
    training.train(training.same_batch(chosen), trainer.step)


if __name__ == "__main__":
    main()
