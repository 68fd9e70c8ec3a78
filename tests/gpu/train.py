"""A small training on the GPU, the same steps every time: `train.py MODE [--trace FILE]`.

Between cudaProfilerStart and cudaProfilerStop, or under torch.profiler, lie exactly STEPS steps after a warm-up.
"""
import argparse
import json
import time

import torch

WARM_UP, STEPS, BATCH, WIDTH = 12, 20, 64, 512


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return (WARM_UP + STEPS) * BATCH

    def __getitem__(self, index):
        return torch.full((WIDTH,), index / len(self)), index % 10


def batches(workers):
    while True:
        yield from torch.utils.data.DataLoader(Samples(), BATCH, num_workers=workers, pin_memory=True, drop_last=True)


def make_step(mode, model, optimizer):
    loss_of = torch.nn.CrossEntropyLoss()

    def step(inputs, labels):
        optimizer.zero_grad(set_to_none=mode != "graphs")
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=mode == "amp"):
            loss = loss_of(model(inputs), labels)
        loss.backward()
        optimizer.step()

    return step


def captured(step, inputs, labels):
    """The step as a CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(inputs, labels)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(inputs, labels)

    def replay(new_inputs, new_labels):
        inputs.copy_(new_inputs)
        labels.copy_(new_labels)
        graph.replay()

    return replay


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["eager", "amp", "compile", "graphs", "workers"])
    parser.add_argument("--trace")
    options = parser.parse_args()
    torch.manual_seed(1)
    model = torch.nn.Sequential(*[layer for _ in range(6) for layer in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())],
                                torch.nn.Linear(WIDTH, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    step = make_step(options.mode, torch.compile(model) if options.mode == "compile" else model, optimizer)
    if options.mode == "graphs":
        step = captured(step, torch.zeros(BATCH, WIDTH, device="cuda"),
                        torch.zeros(BATCH, dtype=torch.long, device="cuda"))
    data = batches(2 if options.mode == "workers" else 0)

    def run(count):
        for _ in range(count):
            inputs, labels = next(data)
            step(inputs.cuda(non_blocking=True), labels.cuda(non_blocking=True))
        torch.cuda.synchronize()

    run(WARM_UP)
    profiler = torch.profiler.profile() if options.trace else None
    if profiler:
        profiler.start()
    else:
        torch.cuda.cudart().cudaProfilerStart()
    begin = time.perf_counter()
    run(STEPS)
    seconds = time.perf_counter() - begin
    if profiler:
        profiler.stop()
        profiler.export_chrome_trace(options.trace)
    else:
        torch.cuda.cudart().cudaProfilerStop()
    print(json.dumps({"seconds": seconds, "steps": STEPS}))


if __name__ == "__main__":
    main()
