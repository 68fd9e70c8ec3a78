"""Trains a small transformer encoder to sort digits.

The input is a sequence of random digits, the target the same digits in rising order: every output depends on all
inputs, which is what attention is for.

    python3 examples/train_transformer.py
    opsight profile -o transformer.opsight -- python3 examples/train_transformer.py
"""
import argparse
import time

import torch
from torch import nn

DIGITS = 10


class Sorter(nn.Module):
    def __init__(self, length, width, heads, layers):
        super().__init__()
        self.digits = nn.Embedding(DIGITS, width)
        self.places = nn.Parameter(torch.randn(length, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(width, DIGITS)

    def forward(self, sequences):
        return self.head(self.encoder(self.digits(sequences) + self.places))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100, help="steps of an epoch")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=16, help="digits of a sequence")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=3)
    return parser.parse_args()


def main():
    args = arguments()
    torch.manual_seed(0)
    model = Sorter(args.length, args.width, 4, args.layers)
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    begin = time.perf_counter()
    for epoch in range(args.epochs):
        for step in range(1, args.steps + 1):
            sequences = torch.randint(DIGITS, (args.batch, args.length))
            targets = sequences.sort(dim=1).values
            optimizer.zero_grad()
            scores = model(sequences)
            loss = loss_of(scores.flatten(0, 1), targets.flatten())
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                right = (scores.argmax(2) == targets).float().mean().item()
                print(f"epoch {epoch + 1} step {step}: loss {loss.item():.3f}, {right:.0%} right", flush=True)
    print(f"{time.perf_counter() - begin:.3f} s")


if __name__ == "__main__":
    main()
