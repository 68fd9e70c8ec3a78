"""Fault: an optimizer of one's own that takes ten small ops for each of 250 tensors. Fix: it takes all as one."""
import torch
from torch import nn
import training


class Adam(torch.optim.Optimizer):
    """Without the corrections of the first steps. Together: of all parameters in a row, not one after the other."""

    def __init__(self, parameters, together):
        super().__init__(parameters, {"lr": 1e-3})
        self.together = together
        self.own = self.param_groups[0]["params"]
        kept = [nn.utils.parameters_to_vector(self.own)] if together else self.own
        self.kept = [(torch.zeros_like(p), torch.zeros_like(p)) for p in kept]

    def change(self, gradient, kept):
        mean, square = kept
        mean.copy_(mean * 0.9 + gradient * 0.1)
        square.copy_(square * 0.999 + gradient * gradient * 0.001)
        return mean / (square.sqrt() + 1e-8) * self.defaults["lr"]

    @torch.no_grad()
    def step(self):
        gradients = [parameter.grad for parameter in self.own]
        if self.together:
            change = self.change(nn.utils.parameters_to_vector(gradients), self.kept[0])
            changes = change.split([gradient.numel() for gradient in gradients])
        else:
            changes = [self.change(gradient, kept) for gradient, kept in zip(gradients, self.kept)]
        for parameter, change in zip(self.own, changes):
            parameter.sub_(change.view_as(parameter))


class Layers(nn.Module):
    """Layers whose parameters are views of one tensor, or tensors of their own."""

    def __init__(self, count, together):
        super().__init__()
        start = torch.randn(count, training.CLASSES) * 0.1
        self.together = together
        self.scales = nn.Parameter(start) if together else nn.ParameterList(nn.Parameter(row) for row in start)

    def forward(self, inputs):
        scales = self.scales if self.together else torch.stack(list(self.scales))
        return inputs * scales.sum(0)


def main():
    chosen = training.options(__doc__)
    trainer = training.Trainer(training.Beside(Layers(240, chosen.fixed)))
    trainer.optimizer = Adam(trainer.model.parameters(), chosen.fixed)
    training.train(training.same_batch(chosen, torch.randn(training.BATCH, training.CLASSES)), trainer.step)


if __name__ == "__main__":
    main()
