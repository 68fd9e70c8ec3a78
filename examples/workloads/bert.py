"""BERT, pretrained as published: guesses masked words, and whether one sentence follows the other.

    python3 examples/workloads/bert.py --length 64
    opsight profile -- python3 examples/workloads/bert.py --size full --batch 2

Devlin and others: BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding (2018): the base
network, of 12 layers, 768 channels and 12 heads: 110 million parameters.
"""
import torch
from torch import nn

import common
from attention import Attention


class Layer(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.attention = Attention(channels, heads)
        self.norm1 = nn.LayerNorm(channels)
        self.feed = nn.Sequential(nn.Linear(channels, 4 * channels), nn.GELU(), nn.Linear(4 * channels, channels))
        self.norm2 = nn.LayerNorm(channels)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = self.norm1(x + self.drop(self.attention(x)))
        return self.norm2(x + self.drop(self.feed(x)))


class BERT(nn.Module):
    def __init__(self, tokens=30522, channels=768, heads=12, layers=12, longest=512):
        super().__init__()
        self.words = nn.Embedding(tokens, channels)
        self.places = nn.Embedding(longest, channels)
        self.sentences = nn.Embedding(2, channels)
        self.norm = nn.LayerNorm(channels)
        self.drop = nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer(channels, heads) for _ in range(layers))
        self.pooler = nn.Sequential(nn.Linear(channels, channels), nn.Tanh())
        self.follows = nn.Linear(channels, 2)
        self.transform = nn.Sequential(nn.Linear(channels, channels), nn.GELU(), nn.LayerNorm(channels))
        self.bias = nn.Parameter(torch.zeros(tokens))  # the weights of the scores are the words' vectors

    def forward(self, words, sentences):
        """Both (batch, length). Scores of words (batch, length, tokens) and of the second sentence (batch, 2)."""
        places = torch.arange(words.shape[1], device=words.device)
        x = self.drop(self.norm(self.words(words) + self.places(places) + self.sentences(sentences)))
        for layer in self.layers:
            x = layer(x)
        scores = nn.functional.linear(self.transform(x), self.words.weight, self.bias)
        return scores, self.follows(self.pooler(x[:, 0]))


class Pretraining(common.Workload):
    def __init__(self, model, batch, tokens, length):
        super().__init__(model, batch)
        self.tokens, self.length = tokens, length

    def sample(self, random):
        words = torch.randint(self.tokens, (self.length,), generator=random)
        masked = torch.rand(self.length, generator=random) < 0.15
        masked[0] = True  # a sample has one at least
        sentences = (torch.arange(self.length) >= self.length // 2).long()
        follows = torch.randint(2, (), generator=random)
        return words.masked_fill(masked, 0), sentences, words.masked_fill(~masked, -100), follows

    def infer(self, model, batch):
        return model(*batch[:2])

    def loss(self, model, batch):
        words, sentences, wanted, follows = batch
        scores, pairs = model(words, sentences)
        guessed = nn.functional.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=-100)
        return guessed + nn.functional.cross_entropy(pairs, follows)

    def optimizer(self, parameters):
        return torch.optim.AdamW(parameters, lr=1e-4, weight_decay=0.01)


def options(parser):
    parser.add_argument("--length", type=common.positive, help="tokens of both sentences (full: 128)")


def build(args):
    if args.size == "full":
        return Pretraining(BERT(), 8, 30522, args.length or 128)
    return Pretraining(BERT(500, 64, 4, 4), 4, 500, args.length or 16)


if __name__ == "__main__":
    common.run(__doc__, build, options)
