"""ResNet-18, 50 and 152, which tell 1000 classes of pictures apart by blocks with a way around them.

    python3 examples/workloads/resnet.py --depth 50
    opsight profile -- python3 examples/workloads/resnet.py --depth 152 --size full --infer

He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition (2015), table 1. Where a block of three convolutions
halves the picture, the 3x3 one does it, as libraries of models have it (the paper: the first 1x1); the parameters are
the same.
"""
import torch
from torch import nn

import common
import pictures

# Blocks of each stage, by the number of layers with weights.
STAGES = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3), 152: (3, 8, 36, 3)}


class Block(nn.Module):
    """Two 3x3 convolutions."""

    wider = 1  # channels that come out for each of its own

    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, channels, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.shortcut = shortcut(inputs, channels * self.wider, stride)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class Bottleneck(nn.Module):
    """A 3x3 convolution of few channels between two of 1x1."""

    wider = 4

    def __init__(self, inputs, channels, stride):
        super().__init__()
        outputs = channels * self.wider
        self.conv1 = nn.Conv2d(inputs, channels, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, stride, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, outputs, 1, bias=False)
        self.norm3 = nn.BatchNorm2d(outputs)
        self.shortcut = shortcut(inputs, outputs, stride)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        y = torch.relu(self.norm2(self.conv2(y)))
        return torch.relu(self.norm3(self.conv3(y)) + self.shortcut(x))


def shortcut(inputs, outputs, stride):
    if stride == 1 and inputs == outputs:
        return nn.Identity()
    return nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))


class ResNet(nn.Module):
    """`width` is that of the first stage: 64 is the published network."""

    def __init__(self, depth=18, width=64, classes=pictures.CLASSES):
        super().__init__()
        block = Block if depth < 50 else Bottleneck
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2, padding=1),
        )
        stages, inputs = [], width
        for i, blocks in enumerate(STAGES[depth]):
            channels, stage = width * 2**i, []
            for k in range(blocks):
                stage.append(block(inputs, channels, stride=2 if i > 0 and k == 0 else 1))
                inputs = channels * block.wider
            stages.append(nn.Sequential(*stage))
        self.stage1, self.stage2, self.stage3, self.stage4 = stages
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.scores = nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.stage4(self.stage3(self.stage2(self.stage1(self.stem(x)))))
        return self.scores(torch.flatten(self.pool(x), 1))


def options(parser):
    pictures.options(parser)
    parser.add_argument("--depth", type=int, choices=STAGES, default=18, help="layers with weights (default: 18)")


def build(args):
    if args.size == "full":
        return pictures.Classifier(ResNet(args.depth), 32, args.pixels or 224)
    return pictures.Classifier(ResNet(args.depth, width=8, classes=100), 4, args.pixels or 64, classes=100)


if __name__ == "__main__":
    common.run(__doc__, build, options)
