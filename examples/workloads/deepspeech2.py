"""Speech to text as DeepSpeech2 does it: convolutions over a spectrogram, GRUs in both directions, and CTC.

    python3 examples/workloads/deepspeech2.py --frames 100
    opsight profile -- python3 examples/workloads/deepspeech2.py --size full --batch 2

Amodei and others: Deep Speech 2: End-to-End Speech Recognition in English and Mandarin (2015). Full size has 7
recurrent layers, as there, and the form of deepspeech.pytorch: 768 cells in each direction, which are added up.
"""
import torch
from torch import nn

import common

FREQUENCIES = 161  # of windows of 20 ms at 16 kHz
LETTERS = 29  # blank, 26 letters, apostrophe, space


class BatchRNN(nn.Module):
    """GRU in both directions, over channels that have been normalised."""

    def __init__(self, inputs, hidden, normalised):
        super().__init__()
        self.norm = nn.BatchNorm1d(inputs) if normalised else None
        self.gru = nn.GRU(inputs, hidden, bidirectional=True)

    def forward(self, x):
        """x: (time, batch, channels)"""
        if self.norm is not None:
            x = self.norm(x.permute(1, 2, 0)).permute(2, 0, 1)
        x, _ = self.gru(x)
        return x.unflatten(2, (2, -1)).sum(2)


class DeepSpeech2(nn.Module):
    def __init__(self, channels=32, hidden=768, layers=7, letters=LETTERS):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, channels, (41, 11), stride=(2, 2), padding=(20, 5)), nn.BatchNorm2d(channels),
            nn.Hardtanh(0, 20),
            nn.Conv2d(channels, channels, (21, 11), stride=(2, 1), padding=(10, 5)), nn.BatchNorm2d(channels),
            nn.Hardtanh(0, 20),
        )
        inputs = channels * 41  # what is left of the frequencies
        self.rnns = nn.Sequential(*(BatchRNN(hidden if i else inputs, hidden, i > 0) for i in range(layers)))
        self.norm = nn.BatchNorm1d(hidden)
        self.scores = nn.Linear(hidden, letters, bias=False)

    def forward(self, spectrograms):
        """(batch, 1, frequencies, frames) -> (time, batch, letters)"""
        x = self.conv(spectrograms).flatten(1, 2).permute(2, 0, 1)
        x = self.norm(self.rnns(x).permute(1, 2, 0)).permute(2, 0, 1)
        return self.scores(x)


class Speech(common.Workload):
    def __init__(self, model, batch, frames):
        super().__init__(model, batch)
        self.frames, self.text = frames, max(1, frames // 20)

    def sample(self, random):
        spectrogram = torch.randn(1, FREQUENCIES, self.frames, generator=random)
        return spectrogram, torch.randint(1, LETTERS, (self.text,), generator=random)

    def infer(self, model, batch):
        return model(batch[0]).argmax(2)

    def loss(self, model, batch):
        spectrograms, texts = batch
        chances = nn.functional.log_softmax(model(spectrograms).float(), 2)
        times = torch.full((len(texts),), len(chances), dtype=torch.long)
        lengths = torch.full((len(texts),), self.text, dtype=torch.long)
        return nn.functional.ctc_loss(chances, texts, times, lengths, zero_infinity=True)

    def optimizer(self, parameters):
        return torch.optim.SGD(parameters, lr=3e-4, momentum=0.9, nesterov=True)


def options(parser):
    parser.add_argument("--frames", type=common.positive, help="of a spectrogram, 100 a second (full: 400)")
    parser.add_argument("--hidden", type=common.positive, help="cells of each direction (full: 768)")
    parser.add_argument("--layers", type=common.positive, help="recurrent layers (full: 7)")


def build(args):
    if args.size == "full":
        model = DeepSpeech2(hidden=args.hidden or 768, layers=args.layers or 7)
        return Speech(model, 8, args.frames or 400)
    model = DeepSpeech2(channels=4, hidden=args.hidden or 32, layers=args.layers or 3)
    return Speech(model, 2, args.frames or 64)


if __name__ == "__main__":
    common.run(__doc__, build, options)
