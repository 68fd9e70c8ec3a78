"""AlexNet, which tells 1000 classes of pictures apart: 5 convolutions, 3 linear layers.

    python3 examples/workloads/alexnet.py --batch 16
    opsight profile -- python3 examples/workloads/alexnet.py --size full --infer

Krizhevsky, Sutskever, Hinton: ImageNet Classification with Deep Convolutional Neural Networks (2012): 60 million
parameters. Its layers 2, 4 and 5 see only half of the channels each (two GPUs had half of the network each).
--one-tower is the network without that of Krizhevsky: One weird trick for parallelizing convolutional neural networks
(2014), which libraries of models have under the name.
"""
import torch
from torch import nn

import common
import pictures


class AlexNet(nn.Module):
    """`width` scales channels: 1 is the published network."""

    def __init__(self, width=1.0, classes=pictures.CLASSES):
        super().__init__()
        c1, c2, c3, hidden = (int(n * width) for n in (96, 256, 384, 4096))
        self.conv1 = nn.Conv2d(3, c1, 11, stride=4, padding=2)
        self.norm1 = nn.LocalResponseNorm(5, alpha=1e-4, beta=0.75, k=2)
        self.conv2 = nn.Conv2d(c1, c2, 5, padding=2, groups=2)
        self.norm2 = nn.LocalResponseNorm(5, alpha=1e-4, beta=0.75, k=2)
        self.conv3 = nn.Conv2d(c2, c3, 3, padding=1)
        self.conv4 = nn.Conv2d(c3, c3, 3, padding=1, groups=2)
        self.conv5 = nn.Conv2d(c3, c2, 3, padding=1, groups=2)
        self.pool = nn.MaxPool2d(3, stride=2)
        self.whole = nn.AdaptiveAvgPool2d(6)  # does nothing to pictures of 224 x 224
        self.drop = nn.Dropout()
        self.fc6 = nn.Linear(c2 * 36, hidden)
        self.fc7 = nn.Linear(hidden, hidden)
        self.fc8 = nn.Linear(hidden, classes)

    def forward(self, x):
        x = self.pool(self.norm1(torch.relu(self.conv1(x))))
        x = self.pool(self.norm2(torch.relu(self.conv2(x))))
        x = torch.relu(self.conv3(x))
        x = torch.relu(self.conv4(x))
        x = self.pool(torch.relu(self.conv5(x)))
        x = torch.flatten(self.whole(x), 1)
        x = torch.relu(self.fc6(self.drop(x)))
        x = torch.relu(self.fc7(self.drop(x)))
        return self.fc8(x)


class OneTower(AlexNet):
    def __init__(self, width=1.0, classes=pictures.CLASSES):
        super().__init__(width, classes)
        c1, c2, c3, c4 = (int(n * width) for n in (64, 192, 384, 256))
        self.conv1 = nn.Conv2d(3, c1, 11, stride=4, padding=2)
        self.norm1 = nn.Identity()
        self.conv2 = nn.Conv2d(c1, c2, 5, padding=2)
        self.norm2 = nn.Identity()
        self.conv3 = nn.Conv2d(c2, c3, 3, padding=1)
        self.conv4 = nn.Conv2d(c3, c4, 3, padding=1)
        self.conv5 = nn.Conv2d(c4, c4, 3, padding=1)


def options(parser):
    pictures.options(parser)
    parser.add_argument("--one-tower", action="store_true", help="the network of 2014")


def build(args):
    full = args.size == "full"
    network = OneTower if args.one_tower else AlexNet
    if full:
        return pictures.Classifier(network(), 32, args.pixels or 224)
    return pictures.Classifier(network(width=0.25, classes=100), 8, args.pixels or 64, classes=100)


if __name__ == "__main__":
    common.run(__doc__, build, options)
