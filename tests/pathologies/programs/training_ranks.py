"""Two ranks of one training on this machine, which exchange their gradients by gloo."""
import os
import tempfile
import time

import torch
import torch.distributed as distributed
import torch.multiprocessing as multiprocessing
from torch import nn
import training

LAYERS = 80


def exchange(parameters, at_once):
    gradients = [parameter.grad for parameter in parameters]
    if not at_once:
        for gradient in gradients:
            distributed.all_reduce(gradient)
        return
    together = torch.cat([gradient.flatten() for gradient in gradients])
    distributed.all_reduce(together)
    place = 0
    for gradient in gradients:
        gradient.copy_(together[place:place + gradient.numel()].view_as(gradient))
        place += gradient.numel()


def one_rank(rank, place, chosen, more_ms, at_once):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    distributed.init_process_group("gloo", "file://" + place, rank=rank, world_size=2)
    layers = [nn.Linear(training.CLASSES, training.CLASSES) for _ in range(LAYERS)]
    trainer = training.Trainer(nn.Sequential(training.network(8), *layers))

    def step(batch):
        pictures, labels = batch
        trainer.optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(trainer.model(pictures), labels).backward()
        if rank == 1:
            time.sleep(more_ms / 1000)
        exchange(list(trainer.model.parameters()), at_once)
        trainer.optimizer.step()

    training.train(training.same_batch(chosen), step, tells=rank == 0, clock=time.perf_counter)
    distributed.destroy_process_group()


def run(description, more_ms, at_once):
    chosen = training.options(description)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "store")
        multiprocessing.spawn(one_rank, (place, chosen, more_ms(chosen.fixed), at_once(chosen.fixed)), nprocs=2)
