"""Neural collaborative filtering (NCF), which guesses whether somebody will like a film.

    python3 examples/workloads/ncf.py --batch 1024
    opsight profile -- python3 examples/workloads/ncf.py --size full

He and others: Neural Collaborative Filtering (2017), the network NeuMF: products of factors beside a perceptron. Full
size is that of MLPerf Training 0.5: 138 493 users and 26 744 films of MovieLens 20M, 64 factors, layers of 256, 256,
128 and 64.
"""
import torch
from torch import nn

import common


class NeuMF(nn.Module):
    def __init__(self, users, items, factors=64, layers=(256, 256, 128, 64)):
        super().__init__()
        self.user_factors = nn.Embedding(users, factors)
        self.item_factors = nn.Embedding(items, factors)
        self.user = nn.Embedding(users, layers[0] // 2)
        self.item = nn.Embedding(items, layers[0] // 2)
        steps = []
        for inputs, outputs in zip(layers, layers[1:]):
            steps += [nn.Linear(inputs, outputs), nn.ReLU(inplace=True)]
        self.perceptron = nn.Sequential(*steps)
        self.score = nn.Linear(factors + layers[-1], 1)

    def forward(self, users, items):
        factors = self.user_factors(users) * self.item_factors(items)
        hidden = self.perceptron(torch.cat([self.user(users), self.item(items)], 1))
        return self.score(torch.cat([factors, hidden], 1)).squeeze(1)


class Likes(common.Workload):
    def __init__(self, model, batch, users, items):
        super().__init__(model, batch)
        self.users, self.items = users, items

    def sample(self, random):
        return (torch.randint(self.users, (), generator=random), torch.randint(self.items, (), generator=random),
                torch.randint(2, (), generator=random).float())

    def infer(self, model, batch):
        return torch.sigmoid(model(*batch[:2]))

    def loss(self, model, batch):
        users, items, liked = batch
        return nn.functional.binary_cross_entropy_with_logits(model(users, items), liked)

    def optimizer(self, parameters):
        return torch.optim.Adam(parameters, lr=4.5e-4, betas=(0.25, 0.5))


def build(args):
    if args.size == "full":
        return Likes(NeuMF(138493, 26744), 4096, 138493, 26744)
    return Likes(NeuMF(1000, 500, factors=16, layers=(64, 64, 32, 16)), 256, 1000, 500)


if __name__ == "__main__":
    common.run(__doc__, build)
