"""Fault: each activation is calculated in double precision and cast back. Fix: it stays float32."""
import torch
from torch import nn
import training


class Bounded(nn.Module):
    def __init__(self, careful):
        super().__init__()
        self.careful = careful

    def forward(self, x):
        return x.double().softmax(1).float() if self.careful else x.softmax(1)


def main():
    chosen = training.options(__doc__)
    activations = [Bounded(not chosen.fixed) for _ in range(12)]
    trainer = training.Trainer(nn.Sequential(nn.Conv2d(3, 32, 1), *activations, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                             nn.Linear(32, training.CLASSES)))
    training.train(training.same_batch(chosen), trainer.step)


if __name__ == "__main__":
    main()
