"""Fault: pictures are unpacked each time they are loaded, in the training process. Fix: once, before."""
import zlib

import numpy
import torch
from torch.utils.data import DataLoader, Dataset
import training


def unpacked(packed):
    raw = numpy.frombuffer(zlib.decompress(packed), dtype=numpy.uint8)
    side = 8 * training.SIZE
    large = torch.from_numpy(raw.copy()).view(3, side, side).float() / 255
    return torch.nn.functional.avg_pool2d(large, 8)


class Packed(Dataset):
    def __init__(self, length, once):
        self.length = length
        large = numpy.random.default_rng(0).integers(0, 16, (training.BATCH, 3, 8 * training.SIZE, 8 * training.SIZE))
        self.packed = [zlib.compress(picture.astype(numpy.uint8).tobytes(), 1) for picture in large]
        self.ready = [unpacked(packed) for packed in self.packed] if once else None

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        index %= training.BATCH
        picture = self.ready[index] if self.ready else unpacked(self.packed[index])
        return picture, index % training.CLASSES


def main():
    chosen = training.options(__doc__)
    data = Packed(training.BATCH * (training.WARM + chosen.iterations), chosen.fixed)
    training.train(DataLoader(data, training.BATCH), training.Trainer().step)


if __name__ == "__main__":
    main()
