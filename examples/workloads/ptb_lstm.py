"""A language model of LSTM layers, which guesses the next word: the network of many studies of Penn Treebank (PTB).

    python3 examples/workloads/ptb_lstm.py --hidden 256 --layers 3
    opsight profile -- python3 examples/workloads/ptb_lstm.py --size full

Zaremba, Sutskever, Vinyals: Recurrent Neural Network Regularization (2014). Full size is its medium network: 2 layers
of 650, 35 words, 10 000 words in all, batch 20; --hidden 200 --unroll 20 is the small one, --hidden 1500 --dropout
0.65 the large one. --steps counts updates of the weights; the steps in time between them are --unroll.
"""
import torch
from torch import nn

import common


class LanguageModel(nn.Module):
    def __init__(self, words, hidden, layers, dropout):
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.drop = nn.Dropout(dropout)
        self.lstm = nn.LSTM(hidden, hidden, layers, dropout=dropout if layers > 1 else 0.0)
        self.decoder = nn.Linear(hidden, words)

    def forward(self, words, state):
        """words: (time, batch). Scores of (time, batch, word), and the state after the last of them."""
        out, state = self.lstm(self.drop(self.embedding(words)), state)
        return self.decoder(self.drop(out)), state


class Text(common.Workload):
    """Words in a row; what the cells hold at the end of one stretch is where the next one begins."""

    def __init__(self, model, batch, words, unroll):
        super().__init__(model, batch)
        self.words, self.unroll, self.state = words, unroll, None

    def sample(self, random):
        text = torch.randint(self.words, (self.unroll + 1,), generator=random)
        return text[:-1], text[1:]

    def infer(self, model, batch):
        scores, self.state = model(batch[0].t(), self.state)
        return scores

    def loss(self, model, batch):
        if self.state is not None:  # gradients end where the stretch begins
            self.state = tuple(part.detach() for part in self.state)
        scores = self.infer(model, batch)
        return nn.functional.cross_entropy(scores.flatten(0, 1), batch[1].t().flatten())

    def optimizer(self, parameters):
        return torch.optim.SGD(parameters, lr=1.0)


def options(parser):
    parser.add_argument("--hidden", type=common.positive, help="size of a cell and of a word's vector (full: 650)")
    parser.add_argument("--layers", type=common.positive, default=2, help="layers of cells (default: 2)")
    parser.add_argument("--unroll", type=common.positive, help="words of a stretch, steps in time (full: 35)")
    parser.add_argument("--words", type=common.positive, help="different words (full: 10000)")
    parser.add_argument("--dropout", type=float, default=0.5)


def build(args):
    full = args.size == "full"
    words = args.words or (10000 if full else 1000)
    hidden = args.hidden or (650 if full else 64)
    unroll = args.unroll or (35 if full else 10)
    return Text(LanguageModel(words, hidden, args.layers, args.dropout), 20 if full else 4, words, unroll)


if __name__ == "__main__":
    common.run(__doc__, build, options)
