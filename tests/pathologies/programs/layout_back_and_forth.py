"""Fault: each activation is turned to have its channels last, and back. Fix: none is turned."""
import torch
from torch import nn
import training


class Turned(nn.Module):
    def __init__(self, turns):
        super().__init__()
        self.turns = turns

    def forward(self, x):
        if not self.turns:
            return x.softmax(1)
        return x.permute(0, 2, 3, 1).contiguous().softmax(3).permute(0, 3, 1, 2).contiguous()


def main():
    chosen = training.options(__doc__)
    activations = [Turned(not chosen.fixed) for _ in range(12)]
    trainer = training.Trainer(nn.Sequential(nn.Conv2d(3, 32, 1), *activations, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                             nn.Linear(32, training.CLASSES)))
    training.train(training.same_batch(chosen), trainer.step)


if __name__ == "__main__":
    main()
