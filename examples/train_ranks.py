"""Trains a small network on several processes, over gloo: no GPU is needed. One of the ranks can be made slow.

    python3 examples/train_ranks.py ddp
    opsight profile -o ranks.opsight -- python3 examples/train_ranks.py ddp --slow-rank 2
    opsight profile -o ranks.opsight -- torchrun --nproc-per-node 4 examples/train_ranks.py sharded

ddp       every rank has the whole network and a part of the batch; gradients are all-reduced
sharded   every rank keeps a part of each layer's weights, as FSDP does: gathered before use, gradients reduced to the owner
pipeline  every rank is a stage of the network; micro-batches go from rank to rank
"""
import argparse
import os
import socket
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.profiler import record_function

WIDTH = 64


def block():
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU())


class Batches:
    """The batches of a rank; those of a slow one take longer to make."""

    def __init__(self, args):
        self.args = args
        self.seconds = args.slow_ms / 1000 if dist.get_rank() == args.slow_rank else 0

    def next(self):
        with record_function("make a batch"):
            if self.seconds:
                time.sleep(self.seconds)
            x = torch.randn(self.args.batch, WIDTH)
        return x, x.roll(1, dims=1)


def train(net, args):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    batches = Batches(args)
    for _ in range(args.steps):
        x, wanted = batches.next()
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), wanted).backward()
        optimizer.step()


def ddp(args):
    net = nn.parallel.DistributedDataParallel(nn.Sequential(block(), block(), nn.Linear(WIDTH, WIDTH)))
    train(net, args)


class Gathered(torch.autograd.Function):
    """A whole weight from the shards of all ranks; its gradient goes back to the owners, summed."""

    @staticmethod
    def forward(ctx, shard):
        parts = [torch.empty_like(shard) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, shard)
        return torch.cat(parts)

    @staticmethod
    def backward(ctx, gradient):
        own = None
        # A reduce-scatter; gloo has none in all versions of PyTorch.
        for rank, part in enumerate(gradient.chunk(dist.get_world_size())):
            part = part.contiguous()
            dist.reduce(part, rank)
            own = part if rank == dist.get_rank() else own
        return own


class ShardedLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.shard = nn.Parameter(torch.randn(WIDTH // dist.get_world_size(), WIDTH) / WIDTH**0.5)

    def forward(self, x):
        return nn.functional.linear(x, Gathered.apply(self.shard))


def sharded(args):
    net = nn.Sequential(ShardedLinear(), nn.ReLU(), ShardedLinear(), nn.ReLU(), ShardedLinear())
    train(net, args)


def pipeline(args):
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    stage = nn.Sequential(block(), block())
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.01)
    seconds = args.slow_ms / 1000 / args.micro if rank == args.slow_rank else 0
    for _ in range(args.steps):
        optimizer.zero_grad()
        kept = []
        for _ in range(args.micro):
            x = torch.randn(args.batch, WIDTH)
            if rank > 0:
                dist.recv(x, rank - 1)
            x.requires_grad_(rank > 0)
            if seconds:
                with record_function("slow stage"):
                    time.sleep(seconds)
            y = stage(x)
            if rank < last:
                dist.send(y.detach(), rank + 1)
            kept.append((x, y))
        for x, y in kept:
            gradient = torch.empty_like(y)
            if rank < last:
                dist.recv(gradient, rank + 1)
            else:
                gradient = 2 * (y.detach() - 1) / y.numel()
            y.backward(gradient)
            if rank > 0:
                dist.send(x.grad, rank - 1)
        optimizer.step()


def work(rank, args, port):
    if port:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(args.ranks))
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    begin = time.perf_counter()
    {"ddp": ddp, "sharded": sharded, "pipeline": pipeline}[args.kind](args)
    dist.barrier()
    if dist.get_rank() == 0:
        print(f"{args.steps} steps in {time.perf_counter() - begin:.2f} s", flush=True)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=["ddp", "sharded", "pipeline"])
    parser.add_argument("--ranks", type=int, default=4, help="processes to start, where no launcher started them")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--micro", type=int, default=4, help="micro-batches of a step of the pipeline")
    parser.add_argument("--slow-rank", type=int, default=-1, help="the rank to make slow")
    parser.add_argument("--slow-ms", type=float, default=30, help="how much longer each step of it takes")
    args = parser.parse_args()
    if "RANK" in os.environ:
        work(int(os.environ["RANK"]), args, 0)
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(work, (args, port), nprocs=args.ranks)


if __name__ == "__main__":
    main()
