"""All workloads by name, with the command of each: what './dev workloads' runs and the tests hold.

    python3 examples/workloads/runs.py     # names, commands, and parameters of the full-size networks
"""
import importlib
import os
import shlex
import sys

import torch
from torch.overrides import TorchFunctionMode

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

# Script and what tells this workload from others of the script.
RUNS = {
    "alexnet": "alexnet.py",
    "alexnet-one-tower": "alexnet.py --one-tower",
    "vgg16": "vgg.py --depth 16",
    "vgg19": "vgg.py --depth 19",
    "googlenet": "googlenet.py",
    "resnet18": "resnet.py --depth 18",
    "resnet50": "resnet.py --depth 50",
    "resnet152": "resnet.py --depth 152",
    "mobilenet-v2": "mobilenet_v2.py",
    "ssd": "ssd.py",
    "ncf": "ncf.py",
    "dlrm": "dlrm.py",
    "go-zero": "go_zero.py",
    "text-cnn": "text_classification.py --network cnn",
    "text-rnn": "text_classification.py --network rnn",
    "deepspeech2": "deepspeech2.py",
    "transformer": "transformer.py",
    "ptb-lstm": "ptb_lstm.py",
    "bert": "bert.py",
    "gpt": "gpt.py",
    "gpt-prefill": "gpt.py --infer --phase prefill",
    "gpt-decode": "gpt.py --infer --phase decode",
}


class no_memory(TorchFunctionMode):
    """with no_memory(): parameters have shapes, and no memory."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function is torch.empty:
            kwargs = {**kwargs, "device": "meta"}
        return function(*args, **kwargs)


def network(command):
    """The network of a command of a workload, as 'vgg.py --size full': with shapes alone, in no memory."""
    script, *words = shlex.split(command)
    module = importlib.import_module(script[: -len(".py")])
    args = common.arguments(module.__doc__, getattr(module, "options", None), words)
    args.device = "meta"
    with no_memory():
        return module.build(args).model


def parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


if __name__ == "__main__":
    for name, command in RUNS.items():
        print(f"{name:18} {parameters(network(command + ' --size full')):>12,}  {command}")
