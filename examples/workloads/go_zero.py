"""Reinforcement learning: a network that plays Go against itself and learns from who leads.

    python3 examples/workloads/go_zero.py --batch 8 --moves 4
    opsight profile -- python3 examples/workloads/go_zero.py --size full --batch 2 --moves 2

The network is that of Silver and others: Mastering the game of Go without human knowledge (2017), at full size with 19
blocks of 256 channels on 19 x 19 points. A step plays --moves moves of --batch games, the network choosing each, and
then trains on these positions: on the moves of whoever leads, by REINFORCE. There is no search of a tree. The rules of
the game run in Python, between the passes of the network. With --infer a step is one move of each game.
"""
import torch
from torch import nn

import common
from go_board import Board


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + x)


class GoNet(nn.Module):
    def __init__(self, side, blocks, width):
        super().__init__()
        points = side**2
        self.stem = nn.Sequential(nn.Conv2d(17, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        self.blocks = nn.Sequential(*(Block(width) for _ in range(blocks)))
        self.policy = nn.Sequential(
            nn.Conv2d(width, 2, 1, bias=False), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(),
            nn.Linear(2 * points, points + 1),
        )
        self.value = nn.Sequential(
            nn.Conv2d(width, 1, 1, bias=False), nn.BatchNorm2d(1), nn.ReLU(), nn.Flatten(),
            nn.Linear(points, width), nn.ReLU(), nn.Linear(width, 1), nn.Tanh(),
        )

    def forward(self, planes):
        """Scores of the moves (batch, points + 1), the last one to pass, and the expected outcome (batch)."""
        x = self.blocks(self.stem(planes))
        return self.policy(x), self.value(x).squeeze(1)


class SelfPlay(common.Workload):
    def __init__(self, model, batch, side, moves, device):
        super().__init__(model, batch)
        self.side, self.moves, self.device = side, moves, device
        self.games = []

    def sample(self, random):
        return (torch.zeros(1),)  # the games are the data

    def move(self, model, games):
        """Lets the network choose one move of each game: positions, moves and whose they were."""
        planes = torch.tensor([game.planes() for game in games], device=self.device)
        planes = planes.view(len(games), 17, self.side, self.side)
        with torch.no_grad():
            scores, _ = model(planes)
        wishes = torch.rand_like(scores).log().neg().log().neg().add(scores).argsort(1, descending=True)
        turns = [game.turn for game in games]
        moves = []
        for game, wish in zip(games, wishes.tolist()):
            moves.append(next(point for point in wish if game.play(point)))
        return planes, torch.tensor(moves, device=self.device), torch.tensor(turns, device=self.device)

    def going_on(self, batch):
        games = [game for game in self.games if game.moves < 2 * self.side**2]
        self.games = games + [Board(self.side) for _ in range(len(batch[0]) - len(games))]
        return self.games

    def infer(self, model, batch):
        return self.move(model, self.going_on(batch))

    def train(self, model, batch, update):
        games = self.going_on(batch)
        model.eval()
        played = [self.move(model, games) for _ in range(self.moves)]
        model.train()
        planes, moves, turns = (torch.cat(parts) for parts in zip(*played))
        black = torch.tensor([float(game.lead() > 0) * 2 - 1 for game in games], device=self.device)
        outcome = black.repeat(self.moves) * turns
        update(lambda: self.loss(model, (planes, moves, outcome)))

    def loss(self, model, batch):
        planes, moves, outcome = batch
        scores, value = model(planes)
        policy = nn.functional.cross_entropy(scores, moves, reduction="none") * outcome
        return policy.mean() + nn.functional.mse_loss(value.float(), outcome)


def options(parser):
    parser.add_argument("--moves", type=common.positive, default=4,
                        help="of each game in a step of training (default: 4)")


def build(args):
    if args.size == "full":
        return SelfPlay(GoNet(19, 19, 256), 8, 19, args.moves, args.device)
    return SelfPlay(GoNet(9, 4, 16), 4, 9, args.moves, args.device)


if __name__ == "__main__":
    common.run(__doc__, build, options)
