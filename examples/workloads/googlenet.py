"""GoogLeNet, which tells 1000 classes of pictures apart: nine Inception modules of four branches each.

    python3 examples/workloads/googlenet.py --batch 8
    opsight profile -- python3 examples/workloads/googlenet.py --size full --infer

Szegedy and others: Going Deeper with Convolutions (2014), table 1, as published: 5x5 convolutions, no batch
normalisation, and in training two more classifiers in the middle.
"""
import torch
from torch import nn

import common
import pictures

# 1x1 | 3x3 after 1x1 | 5x5 after 1x1 | 1x1 after pooling; None: a pooling between.
INCEPTIONS = {
    "3a": (64, (96, 128), (16, 32), 32),
    "3b": (128, (128, 192), (32, 96), 64),
    "pool3": None,
    "4a": (192, (96, 208), (16, 48), 64),
    "4b": (160, (112, 224), (24, 64), 64),
    "4c": (128, (128, 256), (24, 64), 64),
    "4d": (112, (144, 288), (32, 64), 64),
    "4e": (256, (160, 320), (32, 128), 128),
    "pool4": None,
    "5a": (256, (160, 320), (32, 128), 128),
    "5b": (384, (192, 384), (48, 128), 128),
}


def conv(inputs, outputs, size, **more):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, **more), nn.ReLU(inplace=True))


class Inception(nn.Module):
    def __init__(self, inputs, ones, threes, fives, pooled):
        super().__init__()
        self.ones = conv(inputs, ones, 1)
        self.threes = nn.Sequential(conv(inputs, threes[0], 1), conv(threes[0], threes[1], 3, padding=1))
        self.fives = nn.Sequential(conv(inputs, fives[0], 1), conv(fives[0], fives[1], 5, padding=2))
        self.pooled = nn.Sequential(nn.MaxPool2d(3, stride=1, padding=1), conv(inputs, pooled, 1))
        self.outputs = ones + threes[1] + fives[1] + pooled

    def forward(self, x):
        return torch.cat([self.ones(x), self.threes(x), self.fives(x), self.pooled(x)], 1)


class Auxiliary(nn.Module):
    """A classifier in the middle of the network, for training alone."""

    def __init__(self, inputs, channels, hidden, classes):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(4)  # of 14 x 14: the 5x5 pooling of stride 3
        self.conv = conv(inputs, channels, 1)
        self.hidden = nn.Linear(channels * 16, hidden)
        self.drop = nn.Dropout(0.7)
        self.scores = nn.Linear(hidden, classes)

    def forward(self, x):
        x = torch.flatten(self.conv(self.pool(x)), 1)
        return self.scores(self.drop(torch.relu(self.hidden(x))))


class GoogLeNet(nn.Module):
    """`width` scales channels: 1 is the published network."""

    def __init__(self, width=1.0, classes=pictures.CLASSES):
        super().__init__()

        def thin(channels):
            return tuple(map(thin, channels)) if isinstance(channels, tuple) else int(channels * width)

        c1, c2 = thin((64, 192))
        self.stem = nn.Sequential(
            conv(3, c1, 7, stride=2, padding=3), nn.MaxPool2d(3, stride=2, ceil_mode=True), nn.LocalResponseNorm(5),
            conv(c1, c1, 1), conv(c1, c2, 3, padding=1), nn.LocalResponseNorm(5), nn.MaxPool2d(3, 2, ceil_mode=True),
        )
        self.inceptions, self.auxiliaries = nn.ModuleDict(), nn.ModuleDict()
        channels = c2
        for name, branches in INCEPTIONS.items():
            if branches is None:
                self.inceptions[name] = nn.MaxPool2d(3, stride=2, ceil_mode=True)
                continue
            self.inceptions[name] = Inception(channels, *thin(branches))
            channels = self.inceptions[name].outputs
            if name in ("4a", "4d"):
                self.auxiliaries[name] = Auxiliary(channels, *thin((128, 1024)), classes)
        self.drop = nn.Dropout(0.4)
        self.scores = nn.Linear(channels, classes)

    def forward(self, x):
        """Scores; in training a list of these and those of both classifiers in the middle."""
        x, in_the_middle = self.stem(x), []
        for name, inception in self.inceptions.items():
            x = inception(x)
            if self.training and name in self.auxiliaries:
                in_the_middle.append(self.auxiliaries[name](x))
        scores = self.scores(self.drop(x.mean((2, 3))))
        return [scores, *in_the_middle] if self.training else scores


class Classifier(pictures.Classifier):
    def loss(self, model, batch):
        scores, *in_the_middle = model(batch[0])
        losses = [nn.functional.cross_entropy(each, batch[1]) for each in (scores, *in_the_middle)]
        return losses[0] + 0.3 * sum(losses[1:])


options = pictures.options


def build(args):
    if args.size == "full":
        return Classifier(GoogLeNet(), 32, args.pixels or 224)
    return Classifier(GoogLeNet(width=0.125, classes=100), 4, args.pixels or 64, classes=100)


if __name__ == "__main__":
    common.run(__doc__, build, options)
