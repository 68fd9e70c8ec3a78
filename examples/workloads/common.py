"""What all workloads share: their command line, made-up data, and the loop over steps.

A workload is a script with a function `build(args)` that returns a `Workload`: a network with the data that it takes.
`run` does the rest:

    if __name__ == "__main__":
        common.run(__doc__, build, options)
"""
import argparse
import contextlib
import itertools
import statistics
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
KEPT_BATCHES = 2  # made before the first step where no processes make data


class Workload:
    """A network with the data that it takes. A subclass has `sample` and `loss`, and what else differs."""

    def __init__(self, model, batch):
        self.model = model
        self.batch = batch  # samples of a batch where --batch does not say it

    def sample(self, random):
        """One sample: a tuple of tensors without the axis of the batch. `random` is a torch.Generator."""
        raise NotImplementedError

    def loss(self, model, batch):
        """What training makes smaller: a tensor without axes."""
        raise NotImplementedError

    def infer(self, model, batch):
        return model(batch[0])

    def optimizer(self, parameters):
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9, weight_decay=5e-4)

    def before_inference(self, model, batch):
        """Work that comes once, before the steps."""

    def train(self, model, batch, update):
        """One step of training. `update(loss)` goes backward and changes the weights."""
        update(lambda: self.loss(model, batch))


class Samples(Dataset):
    """Sample number i is always the same one."""

    def __init__(self, workload, length):
        self.workload, self.length = workload, length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.workload.sample(torch.Generator().manual_seed(index))


def arguments(doc, options=None, words=None):
    """What the command line says, or `words` instead of it."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--train", action="store_true", help="forward, backward and optimizer (default)")
    mode.add_argument("--infer", action="store_true", help="forward alone")
    parser.add_argument("--size", choices=["small", "full"], default="small",
                        help="full: the published network; small: its layers, but thin and with small inputs (default)")
    parser.add_argument("--batch", type=positive, help="samples of a step (default: depends on the size)")
    parser.add_argument("--steps", type=positive, default=10, help="default: 10")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda, cuda:1, ...")
    parser.add_argument("--dtype", choices=DTYPES, default="float32",
                        help="of products, by autocast (default: float32)")
    parser.add_argument("--compile", action="store_true", help="run what torch.compile makes of it (PyTorch 2)")
    parser.add_argument("--channels-last", action="store_true", help="pictures and filters in memory as NHWC")
    parser.add_argument("--data-workers", type=int, default=0, metavar="N",
                        help="processes that make data while the network works; 0 (default): two batches are made"
                        " before the first step and used by turns")
    parser.add_argument("--seed", type=int, default=0)
    if options:
        options(parser)
    args = parser.parse_args(words)
    if args.compile and not hasattr(torch, "compile"):
        parser.error(f"--compile needs PyTorch 2, this is {torch.__version__}")
    if args.device.startswith("cuda") and not torch.cuda.is_available():
        parser.error(f"--device {args.device}: PyTorch finds no GPU here; --device cpu runs everywhere")
    if args.dtype == "float16" and args.device == "cpu":
        parser.error("--dtype float16 is for GPUs: on a CPU take bfloat16")
    return args


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def run(doc, build, options=None):
    args = arguments(doc, options)
    torch.manual_seed(args.seed)
    workload = build(args)
    args.batch = args.batch or workload.batch
    model = workload.model.to(args.device).train(not args.infer)
    if args.channels_last:
        model = model.to(memory_format=torch.channels_last)
    if args.compile:
        model = torch.compile(model)
    try:
        seconds = (infer if args.infer else train)(workload, model, args)
    except RuntimeError as problem:
        if args.dtype != "bfloat16" or args.device != "cpu":
            raise
        # Which ops have a form of it on a CPU differs between releases of PyTorch.
        print(f"--dtype bfloat16 on a CPU: PyTorch {torch.__version__} lacks what this network needs: {problem}\n"
              "--dtype float32 runs everywhere", file=sys.stderr)
        sys.exit(2)
    tell(args, seconds)


def train(workload, model, args):
    optimizer = workload.optimizer(model.parameters())
    scaler = torch.cuda.amp.GradScaler() if args.dtype == "float16" else None

    def update(loss):
        optimizer.zero_grad(set_to_none=True)
        with products_in(args):
            value = loss()
        if scaler is None:
            value.backward()
            optimizer.step()
            return
        scaler.scale(value).backward()
        scaler.step(optimizer)
        scaler.update()

    return timed_steps(args, batches(workload, args), lambda batch: workload.train(model, batch, update))


def infer(workload, model, args):
    def step(batch):
        with products_in(args):
            workload.infer(model, batch)

    with torch.no_grad():
        data = batches(workload, args)
        with products_in(args):
            first = next(data)
            workload.before_inference(model, first)
        return timed_steps(args, itertools.chain([first], data), step)


def timed_steps(args, data, step):
    """Seconds that each step took, the wait for its data included."""
    seconds = []
    for _ in range(args.steps):
        begin = time.perf_counter()
        step(next(data))
        if args.device.startswith("cuda"):
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return seconds


def products_in(args):
    if args.dtype == "float32":
        return contextlib.nullcontext()
    return torch.autocast(torch.device(args.device).type, DTYPES[args.dtype])


def batches(workload, args):
    """Endless: batches from worker processes, or a few that were made before."""
    if args.data_workers > 0:
        data = DataLoader(Samples(workload, args.steps * args.batch), batch_size=args.batch,
                          num_workers=args.data_workers, pin_memory=args.device.startswith("cuda"))
    else:
        samples = Samples(workload, KEPT_BATCHES * args.batch)
        kept = min(KEPT_BATCHES, args.steps)
        data = [batch_of(samples, range(i * args.batch, (i + 1) * args.batch)) for i in range(kept)]
        data = [on_device(batch, args) for batch in data]
    while True:
        for batch in data:
            yield on_device(batch, args)


def batch_of(samples, indices):
    return [torch.stack(parts) for parts in zip(*(samples[i] for i in indices))]


def on_device(batch, args):
    placed = []
    for tensor in batch:
        as_pictures = args.channels_last and tensor.dim() == 4
        layout = {"memory_format": torch.channels_last} if as_pictures else {}
        placed.append(tensor.to(args.device, non_blocking=True, **layout))
    return placed


def tell(args, seconds):
    # The first step sets things up.
    typical = statistics.median(seconds[1:] or seconds)
    print(f"{'inference' if args.infer else 'training'}: {args.steps} steps of {args.batch} in {sum(seconds):.2f} s;"
          f" median {typical * 1e3:.2f} ms a step, {args.batch / typical:.1f} a second", file=sys.stdout, flush=True)
