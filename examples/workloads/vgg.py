"""VGG-16 and VGG-19, which tell 1000 classes of pictures apart by 3x3 convolutions alone.

    python3 examples/workloads/vgg.py --depth 19
    opsight profile -- python3 examples/workloads/vgg.py --size full --batch 1 --infer

Simonyan, Zisserman: Very Deep Convolutional Networks for Large-Scale Image Recognition (2014): configurations D and E,
138 and 144 million parameters.
"""
import torch
from torch import nn

import common
import pictures

# Convolutions before each pooling, by the number of layers with weights.
STAGES = {16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


class VGG(nn.Module):
    """`width` scales channels: 1 is the published network."""

    def __init__(self, depth=16, width=1.0, classes=pictures.CLASSES):
        super().__init__()
        layers, inputs = [], 3
        for convolutions, channels in zip(STAGES[depth], (64, 128, 256, 512, 512)):
            channels = int(channels * width)
            for _ in range(convolutions):
                layers += [nn.Conv2d(inputs, channels, 3, padding=1), nn.ReLU(inplace=True)]
                inputs = channels
            layers.append(nn.MaxPool2d(2))
        hidden = int(4096 * width)
        self.features = nn.Sequential(*layers)
        self.whole = nn.AdaptiveAvgPool2d(7)  # does nothing to pictures of 224 x 224
        self.classifier = nn.Sequential(
            nn.Linear(inputs * 49, hidden), nn.ReLU(inplace=True), nn.Dropout(),
            nn.Linear(hidden, hidden), nn.ReLU(inplace=True), nn.Dropout(),
            nn.Linear(hidden, classes),
        )

    def forward(self, x):
        return self.classifier(torch.flatten(self.whole(self.features(x)), 1))


def options(parser):
    pictures.options(parser)
    parser.add_argument("--depth", type=int, choices=STAGES, default=16, help="layers with weights (default: 16)")


def build(args):
    if args.size == "full":
        return pictures.Classifier(VGG(args.depth), 16, args.pixels or 224)
    return pictures.Classifier(VGG(args.depth, width=0.125, classes=100), 4, args.pixels or 64, classes=100)


if __name__ == "__main__":
    common.run(__doc__, build, options)
