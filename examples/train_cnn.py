"""Trains a small residual network on pictures that are made as they are loaded.

The pictures show stripes; the class is their direction. Worker processes draw them (that is the work of the data
loader), the network learns to tell the directions apart in about a hundred steps on a CPU.

    python3 examples/train_cnn.py
    opsight profile -o demo.opsight -- python3 examples/train_cnn.py
"""
import argparse
import math
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES = 8
SIZE = 32


class Stripes(Dataset):
    """Picture number i is always the same one: stripes of random width and phase under noise."""

    def __init__(self, length):
        self.length = length
        axis = torch.linspace(-1, 1, SIZE)
        self.y, self.x = torch.meshgrid(axis, axis, indexing="ij")

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        random = torch.Generator().manual_seed(index)
        label = index % CLASSES
        angle = math.pi * label / CLASSES
        width, phase = (torch.rand(2, generator=random) * torch.tensor([6.0, 6.3]) + torch.tensor([6.0, 0.0])).tolist()
        wave = torch.sin(width * (self.x * math.cos(angle) + self.y * math.sin(angle)) + phase)
        colors = torch.rand(3, 1, 1, generator=random) + 0.5
        noise = torch.randn(3, SIZE, SIZE, generator=random)
        return colors * wave + 0.7 * noise, label


class Block(nn.Module):
    """Two convolutions beside a short cut."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        self.layer1 = nn.Sequential(Block(width, width, 1), Block(width, width, 1))
        self.layer2 = nn.Sequential(Block(width, 2 * width, 2), Block(2 * width, 2 * width, 1))
        self.layer3 = nn.Sequential(Block(2 * width, 4 * width, 2), Block(4 * width, 4 * width, 1))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(4 * width, CLASSES)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.stem(x))))
        return self.head(torch.flatten(self.pool(x), 1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--steps", type=int, default=30, help="steps of an epoch")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2, help="processes that make pictures")
    return parser.parse_args()


def main():
    args = arguments()
    torch.manual_seed(0)
    data = DataLoader(Stripes(args.steps * args.batch), batch_size=args.batch, shuffle=True, num_workers=args.workers)
    model = ResNet()
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    begin = time.perf_counter()
    for epoch in range(args.epochs):
        total = right = seen = 0
        for step, (pictures, labels) in enumerate(data, 1):
            optimizer.zero_grad()
            scores = model(pictures)
            loss = loss_of(scores, labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
            right += (scores.argmax(1) == labels).sum().item()
            seen += len(labels)
            if step % 15 == 0:
                print(f"epoch {epoch + 1} step {step}: loss {total / seen:.3f}, {right / seen:.0%} right", flush=True)
    print(f"{time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main()
