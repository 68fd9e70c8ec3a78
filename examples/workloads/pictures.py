"""What the networks that tell pictures apart share: made-up pictures with a class, and the loss."""
import torch
from torch import nn

import common

CLASSES = 1000  # ImageNet


class Classifier(common.Workload):
    """Pictures of `pixels` x `pixels` in three colours; noise, for the work does not depend on what they show."""

    def __init__(self, model, batch, pixels, classes=CLASSES):
        super().__init__(model, batch)
        self.pixels, self.classes = pixels, classes

    def sample(self, random):
        picture = torch.randn(3, self.pixels, self.pixels, generator=random)
        return picture, torch.randint(self.classes, (), generator=random)

    def loss(self, model, batch):
        pictures, classes = batch
        return nn.functional.cross_entropy(model(pictures), classes)


def options(parser):
    parser.add_argument("--pixels", type=common.positive, help="side of a picture (default: depends on the size)")
