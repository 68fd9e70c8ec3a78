#!/usr/bin/env python3
"""The networks of examples/workloads at full size have the published numbers of parameters. They are built with shapes
alone, in no memory. Sources of the numbers: docs/WORKLOADS.md."""

import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "examples" / "workloads"))

try:
    import runs
except ImportError:  # no torch
    runs = None

# Name in runs.RUNS, or a command: number, or what the source rounds it to with half of its last digit.
EXACT = {
    "alexnet": 60_965_224,
    "alexnet-one-tower": 61_100_840,
    "vgg16": 138_357_544,
    "vgg19": 143_667_240,
    "resnet18": 11_689_512,
    "resnet50": 25_557_032,
    "resnet152": 60_192_808,
    "mobilenet-v2": 3_504_872,
    "ncf": 31_832_577,
    "text-rnn": 4_810_857,
    "bert": 110_106_428,
    "gpt": 124_439_808,
}
ROUNDED = {
    "ssd": (26_285_000, 500),
    "ptb-lstm": (20_000_000, 500_000),
    "ptb_lstm.py --hidden 1500": (66_000_000, 500_000),
    "transformer": (65_000_000, 2_000_000),
}


def full(name):
    return runs.network(runs.RUNS.get(name, name) + " --size full")


def count(model, *left_out):
    """Parameters, less those whose names begin with any of `left_out`."""
    return sum(p.numel() for name, p in model.named_parameters() if not name.startswith(left_out))


@unittest.skipIf(runs is None, "there is no torch")
class Parameters(unittest.TestCase):
    def test_all_parameters(self):
        for name, published in EXACT.items():
            with self.subTest(name):
                self.assertEqual(count(full(name)), published)

    def test_published_as_rounded(self):
        for name, (published, tolerance) in ROUNDED.items():
            with self.subTest(name):
                self.assertLess(abs(count(full(name)) - published), tolerance)

    def test_googlenet_without_the_classifiers_in_its_middle(self):
        self.assertLess(abs(count(full("googlenet"), "auxiliaries") - 6_999_000), 500)

    def test_dlrm_has_a_row_for_each_category_of_criteo(self):
        rows = sum(p.shape[0] for name, p in full("dlrm").named_parameters() if name.startswith("tables"))
        self.assertEqual(rows, 33_762_577)

    def test_text_cnn_by_its_formula(self):
        # Filters over 3, 4 and 5 words of 300 numbers, 100 of each, and the scores of two classes.
        self.assertEqual(count(full("text-cnn"), "embedding"), (3 + 4 + 5) * 300 * 100 + 300 + 300 * 2 + 2)

    def test_go_by_its_formula(self):
        # 39 convolutions of 3x3; their and the heads' normalisations; both heads on 361 points.
        convs = 9 * 256 * (17 + 38 * 256) + 39 * 2 * 256
        policy = 256 * 2 + 4 + 2 * 361 * 362 + 362
        value = 256 + 2 + 361 * 256 + 256 + 256 + 1
        self.assertEqual(count(full("go-zero")), convs + policy + value)

    def test_deepspeech_of_73_letters(self):
        # "around 52 million" (deepspeech.pytorch, issue 608): 7 x 768 in both directions.
        sys.path.insert(0, str(ROOT / "examples" / "workloads"))
        import deepspeech2
        with runs.no_memory():
            self.assertEqual(round(count(deepspeech2.DeepSpeech2(letters=73)) / 1e6), 52)

    def test_small_ones_have_the_same_layers(self):
        """As many, and of the same kinds, for the smaller ones that are not said to have fewer."""
        fewer = {"go-zero", "deepspeech2", "bert", "gpt", "gpt-prefill", "gpt-decode"}
        for name, command in runs.RUNS.items():
            if name not in fewer:
                small, full_size = (runs.network(f"{command} --size {size}") for size in ("small", "full"))
                self.assertEqual(*([(path, type(module)) for path, module in network.named_modules()]
                                   for network in (small, full_size)), name)

    def test_the_document_has_these_numbers(self):
        text = (ROOT / "docs" / "WORKLOADS.md").read_text(encoding="utf-8")
        for name in runs.RUNS:
            row = re.search(rf"^\| `{name}` \|.*$", text, re.MULTILINE)
            self.assertIsNotNone(row, f"{name} has no row in docs/WORKLOADS.md")
            number = f"{count(full(name)):,}".replace(",", " ")
            self.assertIn(f"| {number} |", row.group(), name)


if __name__ == "__main__":
    unittest.main()
