#!/usr/bin/env python3
"""Every workload of examples/workloads runs under 'opsight profile' at its small size; its iterations are the steps
that were asked for, and its layers are the modules of its network."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import opsight_cli

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORKLOADS = ROOT / "examples" / "workloads"
sys.path.insert(0, str(WORKLOADS))

try:
    import runs
    OBSERVER = pathlib.Path(opsight_cli.PROGRAM).parent.parent / "lib" / "libopsight_torch.so"
    LACKS = None if OBSERVER.exists() else "the PyTorch observer was not built (Debian: apt-get install libtorch-dev)"
except ImportError:
    LACKS = "there is no torch (Debian: apt-get install python3-torch)"

STEPS = 5
# Passes over the network besides the steps: the prompts have one of their own, before the steps of decoding.
MORE_PASSES = {"gpt.py --infer --phase decode": 1}
SURE = 0.7  # of the iterations of a run
# One of each family; networks that differ in depth alone are the same program.
ALSO_INFER = ("alexnet", "googlenet", "resnet18", "ssd", "dlrm", "go-zero", "text-rnn", "deepspeech2",
              "transformer", "ptb-lstm", "bert", "gpt")


class Recorded(opsight_cli.Profile):
    """What 'opsight profile' records of a command."""

    def __init__(self, *command):
        handle, self.path = tempfile.mkstemp(suffix=".opsight", dir=opsight_cli.temporary_folder())
        os.close(handle)
        script, *words = command
        done = subprocess.run([opsight_cli.PROGRAM, "profile", "--force", "-o", self.path, "--", sys.executable,
                               WORKLOADS / script, *words], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")


def modules(command):
    """Paths of the modules that run, and of the lists that hold some of them."""
    model = runs.network(command)
    paths = {path for path, _ in model.named_modules()}
    if is_inference(command):  # GoogLeNet's classifiers in the middle are for training
        paths = {path for path in paths if not path.startswith("auxiliaries")}
    return {"/".join([type(model).__name__, *path.split(".")]) if path else type(model).__name__ for path in paths}


def is_inference(command):
    return "--infer" in command


class Workloads(unittest.TestCase):
    def check(self, command):
        profile = Recorded(*command.split(), "--steps", str(STEPS))
        self.addCleanup(profile.remove)
        iterations = profile.info()["iterations"]
        self.assertEqual(iterations["total"], STEPS + MORE_PASSES.get(command, 0), iterations)
        self.assertGreaterEqual(iterations["confidence"], SURE, iterations)
        layers = {row.path for row in profile.rows("SELECT path FROM layers WHERE path <> ''")}
        self.assertEqual(layers, modules(command), command)
        directions = {row.direction for row in profile.rows("SELECT DISTINCT direction FROM ops")}
        if is_inference(command):
            self.assertFalse(directions & {"bprop", "optimizer"}, directions)
        else:
            self.assertLessEqual({"fprop", "bprop", "optimizer"}, directions)

    def test_what_pytorch_lacks_on_a_cpu_is_a_sentence(self):
        for script in ("bert.py", "mobilenet_v2.py"):  # newer releases of PyTorch may have it
            done = subprocess.run([sys.executable, WORKLOADS / script, "--dtype", "bfloat16", "--steps", "1", "--batch", "2"],
                                  capture_output=True, text=True, timeout=300)
            self.assertNotIn("Traceback", done.stderr)
            if done.returncode != 0:
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("--dtype float32 runs everywhere", done.stderr)

    def lstm_flops(self, layers, hidden):
        """FLOPs of products and all FLOPs of the LSTM, for each layer, step in time and sample."""
        sizes = f"--batch 4 --unroll 10 --layers {layers} --hidden {hidden}"
        profile = Recorded("ptb_lstm.py", "--infer", "--steps", "1", *sizes.split())
        self.addCleanup(profile.remove)
        row, = profile.rows("SELECT sum(works.matrix_flops * ops.share) AS products, sum(works.flops * ops.share) AS every"
                            " FROM raw.ops AS ops JOIN works ON works.id = ops.work JOIN main.ops AS shown ON"
                            " shown.id = ops.id WHERE shown.layer = 'LanguageModel/lstm'")
        return row.products / (4 * 10 * layers), row.every / (4 * 10 * layers)

    def test_flops_of_an_lstm_grow_with_hidden_squared(self):
        """Where the input is as wide as a cell: 16 h^2 of products whatever the layers, and 22 h besides, so that the
        slope between two sizes is exactly 1 for products, and 1 + 22 / (16 (h1 + h2)) for all FLOPs."""
        found = {}
        for layers, hidden in ((1, 32), (1, 64), (3, 32)):
            products, every = found[layers, hidden] = self.lstm_flops(layers, hidden)
            self.assertAlmostEqual(products, 16 * hidden ** 2, delta=1e-6 * products)
            self.assertAlmostEqual(every - products, 22 * hidden, delta=1e-6 * every)
        for which, expected in ((0, 1), (1, 1 + 22 / (16 * (32 + 64)))):
            slope = (found[1, 64][which] - found[1, 32][which]) / (16 * (64 ** 2 - 32 ** 2))
            self.assertAlmostEqual(slope, expected, places=6)


def add_tests():
    for name, command in runs.RUNS.items():
        cases = {name: command}
        if name in ALSO_INFER:
            cases[f"{name} infer"] = f"{command} --infer"
        for case, words in cases.items():
            def test(self, words=words):
                self.check(words)
            setattr(Workloads, "test_" + case.replace("-", "_").replace(" ", "_"), test)


if LACKS is None:
    add_tests()
else:
    Workloads = unittest.skip(LACKS)(Workloads)

if __name__ == "__main__":
    unittest.main()
