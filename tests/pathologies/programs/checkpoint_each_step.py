"""Fault: every step saves the model. Fix: once, at the end."""
import io

import torch
import training


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer()
    trainer.model.register_buffer("vocabulary", torch.zeros(5_000_000))

    def save():
        torch.save(trainer.model.state_dict(), io.BytesIO())

    def step(batch):
        trainer.step(batch)
        if not chosen.fixed:
            save()

    training.train(training.same_batch(chosen), step)
    save()


if __name__ == "__main__":
    main()
