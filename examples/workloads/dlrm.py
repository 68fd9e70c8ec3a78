"""A deep learning recommendation model (DLRM), which guesses clicks from 13 numbers and 26 categories.

    python3 examples/workloads/dlrm.py --batch 512
    opsight profile -- python3 examples/workloads/dlrm.py --size full --infer

Naumov and others: Deep Learning Recommendation Model for Personalization and Recommendation Systems (2019). Full size
is its network for Criteo's Kaggle data: vectors of 16, 540 million parameters (2.2 GB), nearly all in the tables.
"""
import torch
from torch import nn

import common

NUMBERS = 13
# Categories of each of the 26 columns of Criteo's Kaggle data.
KAGGLE = (1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10,
          5652, 2173, 4, 7046547, 18, 15, 286181, 105, 142572)


def perceptron(*sizes, last=nn.ReLU):
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1], last())


class DLRM(nn.Module):
    def __init__(self, categories, width=16, bottom=(512, 256, 64), top=(512, 256)):
        super().__init__()
        self.bottom = perceptron(NUMBERS, *bottom, width)
        self.tables = nn.ModuleList(nn.EmbeddingBag(n, width, mode="sum", sparse=True) for n in categories)
        vectors = len(categories) + 1
        self.register_buffer("pairs", torch.tril_indices(vectors, vectors, offset=-1), persistent=False)
        self.top = perceptron(width + self.pairs.shape[1], *top, 1, last=nn.Identity)

    def forward(self, numbers, categories):
        """numbers: (batch, 13); categories: (batch, 26). Scores of (batch)."""
        dense = self.bottom(numbers)
        vectors = [dense] + [table(categories[:, i : i + 1]) for i, table in enumerate(self.tables)]
        vectors = torch.stack(vectors, 1)
        rows, columns = self.pairs
        products = torch.bmm(vectors, vectors.transpose(1, 2))[:, rows, columns]
        return self.top(torch.cat([dense, products], 1)).squeeze(1)


class Clicks(common.Workload):
    def __init__(self, model, batch, categories):
        super().__init__(model, batch)
        self.categories = torch.tensor(categories)

    def sample(self, random):
        category = (torch.rand(len(self.categories), generator=random) * self.categories).long()
        return torch.rand(NUMBERS, generator=random), category, torch.randint(2, (), generator=random).float()

    def infer(self, model, batch):
        return torch.sigmoid(model(*batch[:2]))

    def loss(self, model, batch):
        numbers, categories, clicked = batch
        return nn.functional.binary_cross_entropy_with_logits(model(numbers, categories), clicked)

    def optimizer(self, parameters):
        return torch.optim.SGD(parameters, lr=0.1)  # gradients of the tables hold the rows that were used


def build(args):
    if args.size == "full":
        return Clicks(DLRM(KAGGLE), 2048, KAGGLE)
    few = tuple(min(n, 1000) for n in KAGGLE)
    return Clicks(DLRM(few, bottom=(64, 32, 16), top=(64, 32)), 128, few)


if __name__ == "__main__":
    common.run(__doc__, build)
