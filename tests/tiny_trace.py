"""A small fabricated PyTorch trace whose numbers are plain to see."""

import json
import os


def span(category, name, tid, begin, dur, pid=1, **arguments):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": begin, "dur": dur,
            "args": arguments}


def trace(steps=4):
    """Steps of 100 us: a linear op with a GEMM on Tensor Cores, and a relu."""
    events = []
    for step in range(steps):
        at = 100.0 * step
        number = 10 * step
        events += [
            span("user_annotation", f"ProfilerStep#{step}", 1, at, 95),
            span("cpu_op", "aten::linear", 1, at + 5, 20, **{"Input Dims": [[64, 64], [64, 64]],
                                                             "Input type": ["c10::Half", "c10::Half"]}),
            span("cuda_runtime", "cudaLaunchKernel", 1, at + 10, 5, correlation=number + 1),
            span("kernel", "volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_nn", 7, at + 30, 20 + step, pid=0,
                 device=0, stream=7, correlation=number + 1, grid=[4, 1, 1], block=[128, 1, 1]),
            span("cpu_op", "aten::relu", 1, at + 30, 10, **{"Input Dims": [[64, 64]]}),
            span("cuda_runtime", "cudaLaunchKernel", 1, at + 32, 5, correlation=number + 2),
            span("kernel", "relu_kernel(float*)", 7, at + 60, 10, pid=0, device=0, stream=7,
                 correlation=number + 2, grid=[4, 1, 1], block=[128, 1, 1]),
        ]
    return {"schemaVersion": 1, "traceEvents": events, "deviceProperties": [
        {"id": 0, "name": "Tesla V100", "totalGlobalMem": 1 << 34, "computeMajor": 7, "computeMinor": 0,
         "numSms": 80}]}


def write(folder, name="trace.json", steps=4):
    """The trace as a file; its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace(steps), file)
    return path


def write_model(folder):
    """A network of one op that the trace runs, as a file; its path."""
    path = os.path.join(folder, "model.pbtxt")
    with open(path, "w", encoding="utf-8") as file:
        file.write('node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } '
                   'attr { key: "shape" value { shape { dim { size: 1 } dim { size: 8 } } } } }\n'
                   'node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }\n')
    return path
