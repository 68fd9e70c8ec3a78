"""Translation by a Transformer: 6 layers read a sentence, 6 write it in another language.

    python3 examples/workloads/transformer.py --length 32
    opsight profile -- python3 examples/workloads/transformer.py --size full --batch 4

Vaswani and others: Attention Is All You Need (2017), the base network: 512 channels, 8 heads, 37 000 tokens for both
languages, whose vectors are also the weights of the last layer.
"""
import math

import torch
from torch import nn

import common
from attention import Attention


class FeedForward(nn.Sequential):
    def __init__(self, channels):
        super().__init__(nn.Linear(channels, 4 * channels), nn.ReLU(), nn.Linear(4 * channels, channels))


class Encoder(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.attention = Attention(channels, heads)
        self.norm1 = nn.LayerNorm(channels)
        self.feed = FeedForward(channels)
        self.norm2 = nn.LayerNorm(channels)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = self.norm1(x + self.drop(self.attention(x)))
        return self.norm2(x + self.drop(self.feed(x)))


class Decoder(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.attention = Attention(channels, heads)
        self.norm1 = nn.LayerNorm(channels)
        self.cross = Attention(channels, heads)
        self.norm2 = nn.LayerNorm(channels)
        self.feed = FeedForward(channels)
        self.norm3 = nn.LayerNorm(channels)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, read):
        x = self.norm1(x + self.drop(self.attention(x, causal=True)))
        x = self.norm2(x + self.drop(self.cross(x, read)))
        return self.norm3(x + self.drop(self.feed(x)))


def waves(length, channels):
    """The vector of each place: sines and cosines of many lengths."""
    places = torch.arange(length)[:, None] * torch.exp(torch.arange(0, channels, 2) * (-math.log(10000.0) / channels))
    return torch.stack([torch.sin(places), torch.cos(places)], 2).flatten(1)


class Transformer(nn.Module):
    def __init__(self, tokens=37000, channels=512, heads=8, layers=6, longest=512):
        super().__init__()
        self.channels = channels
        self.embedding = nn.Embedding(tokens, channels)
        nn.init.normal_(self.embedding.weight, std=channels**-0.5)
        self.register_buffer("places", waves(longest, channels), persistent=False)
        self.drop = nn.Dropout(0.1)
        self.encoder = nn.ModuleList(Encoder(channels, heads) for _ in range(layers))
        self.decoder = nn.ModuleList(Decoder(channels, heads) for _ in range(layers))

    def embed(self, tokens):
        return self.drop(self.embedding(tokens) * math.sqrt(self.channels) + self.places[: tokens.shape[1]])

    def forward(self, source, target):
        """Both (batch, length). Scores (batch, length, tokens) of the target's next tokens."""
        read = self.embed(source)
        for layer in self.encoder:
            read = layer(read)
        x = self.embed(target)
        for layer in self.decoder:
            x = layer(x, read)
        return nn.functional.linear(x, self.embedding.weight)


class Translation(common.Workload):
    def __init__(self, model, batch, tokens, length):
        super().__init__(model, batch)
        self.tokens, self.length = tokens, length

    def sample(self, random):
        source = torch.randint(self.tokens, (self.length,), generator=random)
        return source, torch.randint(self.tokens, (self.length + 1,), generator=random)

    def infer(self, model, batch):
        """Scores of a translation that is there."""
        return model(batch[0], batch[1][:, :-1])

    def loss(self, model, batch):
        scores = self.infer(model, batch)
        return nn.functional.cross_entropy(scores.flatten(0, 1), batch[1][:, 1:].flatten(), label_smoothing=0.1)

    def optimizer(self, parameters):
        return torch.optim.Adam(parameters, lr=1e-4, betas=(0.9, 0.98), eps=1e-9)


def options(parser):
    parser.add_argument("--length", type=common.positive, help="tokens of a sentence (full: 64)")


def build(args):
    if args.size == "full":
        return Translation(Transformer(), 16, 37000, args.length or 64)
    return Translation(Transformer(500, 64, 4), 4, 500, args.length or 16)


if __name__ == "__main__":
    common.run(__doc__, build, options)
