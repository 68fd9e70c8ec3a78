"""Fault: each step makes a new averaged model, with copies of all modules. Fix: the averages are changed in place."""
import copy

import torch
import training


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer()
    model = torch.nn.Sequential(*[training.network(4) for _ in range(12)])  # one of several that are averaged
    average = copy.deepcopy(model)
    latest, means = list(model.parameters()), list(average.parameters())

    def step(batch):
        nonlocal average, means
        trainer.step(batch)
        with torch.no_grad():
            if not chosen.fixed:
                average = copy.deepcopy(average)
                means = list(average.parameters())
            torch._foreach_mul_(means, 0.99)
            torch._foreach_add_(means, latest, alpha=0.01)

    training.train(training.same_batch(chosen), step)


if __name__ == "__main__":
    main()
