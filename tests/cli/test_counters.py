#!/usr/bin/env python3
"""`opsight import TRACE --counters TABLE`: what is joined, what the report says of it, and what is refused."""
import json
import os
import tempfile
import unittest

import opsight_cli

FFMA = "smsp__sass_thread_inst_executed_op_f{}_pred_on.sum"
METRICS = ["gpu__time_duration.sum", "dram__bytes.sum", *(FFMA.format(op) for op in ("add", "mul", "fma"))]
GEMM = "ampere_sgemm_128x64_tn"


def event(category, name, begin, dur, **args):
    tid = 7 if category == "kernel" else 1
    return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": tid, "ts": begin, "dur": dur, "args": args}


def trace():
    """Two products of matrices, 64 x 32 by 32 x 16: 65536 FLOPs each."""
    events = []
    for i, begin in enumerate((0, 100)):
        events += [
            event("cpu_op", "aten::mm", begin, 50, **{"Input Dims": [[64, 32], [32, 16]], "Input type": ["float"] * 2}),
            event("cuda_runtime", "cudaLaunchKernel", begin + 10, 5, correlation=i + 1),
            event("kernel", GEMM, begin + 20, 10, correlation=i + 1, device=0, stream=7, grid=[4, 1, 1],
                  block=[128, 1, 1])]
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "computeMajor": 8,
                                                      "computeMinor": 0}], "traceEvents": events}


def table(launches):
    head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
            "Grid Size", "Device", "CC", *METRICS]
    rows = [head, [""] * 11 + ["nsecond", "byte", "inst", "inst", "inst"]]
    for i, (name, fma) in enumerate(launches):
        rows.append([i, 1, "python3", "h", name, 1, 7, "(128, 1, 1)", "(4, 1, 1)", 0, "8.0", 9000, 5000, 0, 0, fma])
    return "\n".join(",".join(f'"{field}"' for field in row) for row in rows) + "\n"


class Counters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.trace = self.write("trace.json", json.dumps(trace()))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def report(self, profile):
        return profile.report("expected_vs_measured", "--whole-run")

    def test_joined(self):
        counters = self.write("ncu.csv", table([(GEMM, 32768), (GEMM, 40000)]))
        profile = opsight_cli.Profile(self.trace, options=("--counters", counters))
        self.assertIn("2 of 2 measured launches joined with 2 of 2 kernels (100.0%", profile.imported.stdout)
        report = self.report(profile)
        (kernel,) = report["expected_vs_measured"]["expected_vs_measured"]
        self.assertEqual((kernel["expected_flops"], kernel["measured_flops"]), (131072, 2 * (32768 + 40000)))
        self.assertAlmostEqual(kernel["flops_ratio"], 145536 / 131072)
        self.assertEqual((kernel["measured_kernels"], kernel["measured_bytes"]), (2, 10000))
        self.assertIn("more FLOPs than the formula counts", kernel["why"])
        (op,) = report["expected_vs_measured"]["expected_vs_measured_ops"]
        self.assertEqual((op["op_name"], op["measured_flops"]), ("aten::mm", 145536))
        self.assertTrue(any("2 of 2 measured launches" in note for note in report["range"]["notes"]
                            + report["expected_vs_measured"]["notes"]))

    def test_where_two_may_be_meant_nothing_is_joined(self):
        counters = self.write("ncu.csv", table([(GEMM, 32768)]))
        done = opsight_cli.run("import", self.trace, "--counters", counters, "-o",
                               os.path.join(self.folder, "x.opsight"), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("several kernels may be them", done.stderr)

    def test_without_counters_the_command_is_named(self):
        report = self.report(opsight_cli.Profile(self.trace))
        (kernel,) = report["expected_vs_measured"]["expected_vs_measured"]
        self.assertEqual(kernel["expected_flops"], 131072)
        self.assertIsNone(kernel["measured_flops"])
        self.assertTrue(any("ncu --metrics" in note for note in report["expected_vs_measured"]["notes"]))

    def test_what_has_no_launch_is_refused(self):
        done = opsight_cli.run("import", self.trace, "--counters", self.trace, "-o",
                               os.path.join(self.folder, "x.opsight"), check=False)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
