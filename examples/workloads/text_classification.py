"""Tells two kinds of sentences apart: by convolutions over words, or by an LSTM in both directions.

    python3 examples/workloads/text_classification.py --network cnn
    opsight profile -- python3 examples/workloads/text_classification.py --network rnn --size full

cnn: Kim: Convolutional Neural Networks for Sentence Classification (2014): 100 filters each over 3, 4 and 5 words of
300 numbers; 18 765 words (its data set MR). rnn: 2 layers of 256 in both directions over 25 002 words of 100 numbers,
the network of Trevett's tutorials of sentiment analysis in PyTorch.
"""
import torch
from torch import nn

import common


class TextCNN(nn.Module):
    def __init__(self, words, width, filters):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.convs = nn.ModuleList(nn.Conv1d(width, filters, n) for n in (3, 4, 5))
        self.drop = nn.Dropout()
        self.scores = nn.Linear(3 * filters, 2)

    def forward(self, words):
        x = self.embedding(words).transpose(1, 2)
        x = torch.cat([torch.relu(conv(x)).amax(2) for conv in self.convs], 1)
        return self.scores(self.drop(x))


class TextRNN(nn.Module):
    def __init__(self, words, width, hidden):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.drop = nn.Dropout()
        self.lstm = nn.LSTM(width, hidden, 2, bidirectional=True, dropout=0.5, batch_first=True)
        self.score = nn.Linear(2 * hidden, 1)

    def forward(self, words):
        _, (last, _) = self.lstm(self.drop(self.embedding(words)))
        score = self.score(self.drop(torch.cat([last[-2], last[-1]], 1)))
        return torch.cat([torch.zeros_like(score), score], 1)  # of the second kind against the first


class Sentences(common.Workload):
    def __init__(self, model, batch, words, length):
        super().__init__(model, batch)
        self.words, self.length = words, length

    def sample(self, random):
        return torch.randint(self.words, (self.length,), generator=random), torch.randint(2, (), generator=random)

    def loss(self, model, batch):
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    def optimizer(self, parameters):
        return torch.optim.Adam(parameters)


def options(parser):
    parser.add_argument("--network", choices=["cnn", "rnn"], default="cnn")
    parser.add_argument("--length", type=common.positive, help="words of a sentence (full: 56 for cnn, 200 for rnn)")


def build(args):
    full = args.size == "full"
    if args.network == "cnn":
        words = 18765 if full else 500
        model = TextCNN(words, 300 if full else 32, 100 if full else 16)
        return Sentences(model, 50 if full else 16, words, args.length or (56 if full else 24))
    words = 25002 if full else 500
    model = TextRNN(words, 100 if full else 32, 256 if full else 32)
    return Sentences(model, 64 if full else 16, words, args.length or (200 if full else 24))


if __name__ == "__main__":
    common.run(__doc__, build, options)
