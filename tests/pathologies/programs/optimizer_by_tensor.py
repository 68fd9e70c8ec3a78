"""Fault: an optimizer of one's own that takes ten small ops for each of 240 tensors. Fix: one tensor of all."""
import torch
from torch import nn
import training


class Adam(torch.optim.Optimizer):
    """Without the corrections of the first steps."""

    def __init__(self, parameters):
        super().__init__(parameters, {"lr": 1e-3})
        self.kept = [(torch.zeros_like(p), torch.zeros_like(p)) for p in self.param_groups[0]["params"]]

    @torch.no_grad()
    def step(self):
        for parameter, (mean, square) in zip(self.param_groups[0]["params"], self.kept):
            gradient = parameter.grad
            mean.copy_(mean * 0.9 + gradient * 0.1)
            square.copy_(square * 0.999 + gradient * gradient * 0.001)
            parameter.sub_(mean / (square.sqrt() + 1e-8) * self.defaults["lr"])


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
    trainer.optimizer = Adam(trainer.model.parameters())
    training.train(training.same_batch(chosen, torch.randn(training.BATCH, training.CLASSES)), trainer.step)


if __name__ == "__main__":
    main()
