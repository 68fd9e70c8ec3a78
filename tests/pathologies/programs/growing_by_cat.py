"""Fault: a tensor grows piece by piece, and is copied whole each time. Fix: the pieces are put together once."""
import torch
import training

PIECES = 96


def grown(piece):
    whole = piece
    for _ in range(PIECES - 1):
        whole = torch.cat([whole, piece])
    return whole


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer()
    piece = torch.randn(64, 64)

    def step(batch):
        trainer.step(batch)
        return torch.cat([piece] * PIECES) if chosen.fixed else grown(piece)

    training.train(training.same_batch(chosen), step)


if __name__ == "__main__":
    main()
