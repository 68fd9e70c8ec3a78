"""Fault: a norm is written with means and powers of one's own. Fix: layer_norm."""
import torch
from torch import nn
import training

WIDTH = 256


class ByHand(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-5) * self.weight + self.bias


class Tokens(nn.Module):
    def __init__(self, fixed):
        super().__init__()
        self.norms = nn.Sequential(*[nn.LayerNorm(WIDTH) if fixed else ByHand() for _ in range(4)])
        self.head = nn.Linear(WIDTH, training.CLASSES)

    def forward(self, x):
        return self.head(self.norms(x).mean(1))


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer(training.Beside(Tokens(chosen.fixed)))
    training.train(training.same_batch(chosen, torch.randn(training.BATCH, 256, WIDTH)), trainer.step)


if __name__ == "__main__":
    main()
