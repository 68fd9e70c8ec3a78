"""Fault: numbers of NumPy, in double precision, made the whole network so. Fix: float32."""
import numpy
import torch
import training


def main():
    chosen = training.options(__doc__)
    random = numpy.random.default_rng(0)
    pictures = torch.from_numpy(random.standard_normal((2 * training.BATCH, 3, training.SIZE, training.SIZE)))
    labels = torch.arange(2 * training.BATCH) % training.CLASSES
    if chosen.fixed:
        pictures = pictures.float()
    trainer = training.Trainer(training.network(16).to(pictures.dtype))
    training.train(((pictures, labels) for _ in training.same_batch(chosen)), trainer.step)


if __name__ == "__main__":
    main()
