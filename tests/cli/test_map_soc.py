#!/usr/bin/env python3
"""opsight map MODEL --soc: layers on the engines of a SoC."""

import csv
import io
import itertools
import json
import os
import unittest

import opsight_cli

SIZES = (256, 512, 64, 1024, 16)  # of the chain's data: rows of 32
ROWS = 32
MODEL = "HloModule chain\nENTRY main {\n  y0 = f32[%d,%d] parameter(0)\n" % (ROWS, SIZES[0]) + "".join(
    "  w%d = f32[%d,%d] constant({...})\n  %sy%d = f32[%d,%d] dot(y%d, w%d), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    % (i, SIZES[i - 1], SIZES[i], "ROOT " if i == len(SIZES) - 1 else "", i, ROWS, SIZES[i], i - 1, i)
    for i in range(1, len(SIZES))) + "}\n"
SOC = """soc:
  host: CPU
  engines:
  - {name: CPU, arch: phone-cpu, clock_hz: 2800000000}
  - {name: GPU, arch: phone-gpu, clock_hz: 848000000}
  - {name: NPU, arch: nvdla-small, clock_hz: 1000000000}
  links:
  - {bytes_per_s: %g, latency_s: %g, pj_per_byte: %g}
"""
FAST = ("--budget", "2000", "--samples", "2000")


def write(name, text):
    path = os.path.join(opsight_cli.temporary_folder(), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Soc(unittest.TestCase):
    def run_map(self, soc, *options, check=True):
        return opsight_cli.run("map", write("chain.hlo", MODEL), "--soc", soc, *FAST, *options, check=check)

    def answer(self, soc, *options):
        return json.loads(self.run_map(soc, *options, "--format", "json").stdout)

    def least(self, layers, unit, cost):
        """Over all ways to give each layer an engine; `cost` of a transfer by its bytes."""
        engines = ("CPU", "GPU", "NPU")
        best = None
        for chosen in itertools.product(engines, repeat=len(layers)):
            sum_of = 0
            for at, (before, engine, after) in enumerate(zip(("CPU", *chosen), (*chosen, "CPU"), SIZES)):
                if at < len(layers):
                    sum_of += layers[at][f"on_{engine}_{unit}"]
                if before != engine:
                    sum_of += cost(4 * ROWS * after)
            best = sum_of if best is None else min(best, sum_of)
        return best

    def test_the_answer_is_the_least_of_all_assignments(self):
        for rate, wait, energy in ((1e9, 1e-6, 5), (1e10, 1e-7, 50), (1e11, 1e-5, 1)):
            soc = write("soc.yaml", SOC % (rate, wait, energy))
            out = self.answer(soc)
            layers = [row for row in out["layers"] if row["on_CPU_ns"] is not None]
            self.assertEqual(len(layers), len(SIZES) - 1)
            self.assertTrue(out["exact"])
            self.assertAlmostEqual(out["totals"][0]["time_ns"],
                                   self.least(layers, "ns", lambda size: 1e9 * (wait + size / rate)), delta=8)
            self.assertEqual(sum(row["time_ns"] for row in out["layers"]) + sum(row["transfer_ns"] for row in out["layers"]),
                             self.near(out["totals"][0]["time_ns"]))
            out = self.answer(soc, "--search", "energy")
            layers = [row for row in out["layers"] if row["on_CPU_pj"] is not None]
            self.assertAlmostEqual(out["totals"][0]["energy_pj"] / self.least(layers, "pj", lambda size: energy * size), 1, 9)

    @staticmethod
    def near(value):
        class Near:
            def __eq__(self, other):
                return abs(other - value) <= 16  # rows are rounded to whole nanoseconds
        return Near()

    def test_transfers_that_are_too_dear_keep_all_on_one_engine(self):
        out = self.answer(write("dear.yaml", SOC % (1, 100, 1e12)))
        self.assertEqual({row["engine"] for row in out["layers"]}, {"CPU"})
        self.assertEqual({**out["totals"][0], "assignment": ""}, {**out["totals"][1], "assignment": ""})
        free = self.answer(write("free.yaml", SOC % (1e30, 0, 0)))
        for row in free["layers"]:
            if row["on_CPU_ns"] is not None:
                self.assertEqual(row["time_ns"], min(row[f"on_{name}_ns"] for name in ("CPU", "GPU", "NPU")))

    def test_all_forms_have_the_same(self):
        out = self.answer("phone-soc")
        self.assertEqual((out["soc"], out["host"], out["objective"]), ("phone-soc", "CPU", "delay"))
        sheet = list(csv.DictReader(io.StringIO(self.run_map("phone-soc", "--format", "csv").stdout)))
        self.assertEqual([row["Engine"] for row in sheet], [row["engine"] for row in out["layers"]])
        text = self.run_map("phone-soc").stdout
        for word in ("least delay", "all on GPU", "The assignment is the least of all for these mappings", "a scale, not a technology"):
            self.assertIn(word, text)
        self.assertIn("phone-soc", opsight_cli.run("map", "--list").stdout.split("for --soc:")[1])

    def test_bad_words_have_a_remedy(self):
        for options, words in ((("--search", "edp"), ("edp", "--search delay")), (("--arch", "eyeriss"), ("--arch", "--soc")),
                               (("--sweep", "DRAM.depth=1"), ("--sweep", "--soc")), (("--format", "yaml"), ("--format yaml", "csv")),
                               (("--layer", "y1"), ("--layer", "--soc")), (("--format", "svg"), ("--format svg", "json"))):
            done = self.run_map("phone-soc", *options, check=False)
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            for word in words:
                self.assertIn(word, done.stderr)
        done = self.run_map("phone", check=False)
        self.assertIn("opsight map --list", done.stderr)
        self.assertEqual(done.returncode, 1)
        done = self.run_map(write("bad.yaml", SOC.replace("nvdla-small", "nvdla-tiny") % (1, 1, 1)), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.yaml", done.stderr)
        self.assertIn("line 6", done.stderr)
        done = opsight_cli.run("map", "--soc", "phone-soc", write("problem.yaml", "problem: {}"), check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("one model", done.stderr)


if __name__ == "__main__":
    unittest.main()
