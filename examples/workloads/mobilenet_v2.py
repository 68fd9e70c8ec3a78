"""MobileNet v2, which tells 1000 classes of pictures apart with few parameters: depthwise convolutions between 1x1.

    python3 examples/workloads/mobilenet_v2.py --batch 8 --channels-last
    opsight profile -- python3 examples/workloads/mobilenet_v2.py --size full --infer

Sandler and others: MobileNetV2: Inverted Residuals and Linear Bottlenecks (2018), table 2: 3.4 million parameters.
"""
from torch import nn

import common
import pictures

# Widening inside of a block, channels that come out, blocks, stride of the first.
STAGES = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def conv(inputs, outputs, size, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs), nn.ReLU6(inplace=True),
    )


class Block(nn.Module):
    def __init__(self, inputs, outputs, widening, stride):
        super().__init__()
        inner = inputs * widening
        self.widen = conv(inputs, inner, 1) if widening > 1 else nn.Identity()
        self.depthwise = conv(inner, inner, 3, stride, groups=inner)
        self.narrow = nn.Sequential(nn.Conv2d(inner, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.around = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.narrow(self.depthwise(self.widen(x)))
        return x + y if self.around else y


class MobileNetV2(nn.Module):
    """`width` scales channels: 1 is the published network."""

    def __init__(self, width=1.0, classes=pictures.CLASSES):
        super().__init__()
        inputs, last = int(32 * width), int(1280 * width)
        layers = [conv(3, inputs, 3, stride=2)]
        for widening, channels, blocks, stride in STAGES:
            channels = int(channels * width)
            for k in range(blocks):
                layers.append(Block(inputs, channels, widening, stride if k == 0 else 1))
                inputs = channels
        layers.append(conv(inputs, last, 1))
        self.features = nn.Sequential(*layers)
        self.drop = nn.Dropout(0.2)
        self.scores = nn.Linear(last, classes)

    def forward(self, x):
        return self.scores(self.drop(self.features(x).mean((2, 3))))


options = pictures.options


def build(args):
    if args.size == "full":
        return pictures.Classifier(MobileNetV2(), 32, args.pixels or 224)
    return pictures.Classifier(MobileNetV2(width=0.25, classes=100), 4, args.pixels or 64, classes=100)


if __name__ == "__main__":
    common.run(__doc__, build, options)
