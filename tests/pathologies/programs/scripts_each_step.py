"""Fault: each step traces the network and compiles it anew. Fix: once."""
import torch
import training


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer()
    examined = training.network(4)
    example = training.pictures(1)[0]
    traced = torch.jit.trace(examined, example)

    def step(batch):
        nonlocal traced
        trainer.step(batch)
        if not chosen.fixed:
            traced = torch.jit.trace(examined, example, check_trace=False)
        traced(example)

    training.train(training.same_batch(chosen), step)


if __name__ == "__main__":
    main()
