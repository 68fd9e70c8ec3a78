#!/usr/bin/env python3
"""`opsight import TRACE --counters`: what nvprof measured of a kernel over all its launches, joined where it was alike in all."""
import json
import os
import tempfile
import unittest

import opsight_cli

GEMM = "void gemm<int=32>(float*, int)"
HEAD = ('==9== NVPROF is profiling process 9, command: ./train\n==9== Profiling result:\n==9== Metric result:\n'
        '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n')


def event(name, begin, correlation):
    return [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 0, "tid": 1, "ts": begin, "dur": 50,
             "args": {"Input Dims": [[64, 32], [32, 16]], "Input type": ["float"] * 2}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 0, "tid": 1, "ts": begin + 10, "dur": 5,
             "args": {"correlation": correlation}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": begin + 20, "dur": 10,
             "args": {"correlation": correlation, "device": 0, "stream": 7, "grid": [4, 1, 1], "block": [128, 1, 1]}}]


class NvprofCounters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        events = [part for i in range(4) for part in event(GEMM, 100 * i, i + 1)]
        self.trace = self.write("trace.json", json.dumps(
            {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100", "computeMajor": 7,
                                                       "computeMinor": 0}], "traceEvents": events}))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def metrics(self, invocations, *rows):
        return self.write("metrics.csv", HEAD + "".join(
            f'"Tesla V100 (0)","{GEMM}",{invocations},"{metric}","x",{least},{most},{mean}\n'
            for metric, least, most, mean in rows))

    def test_alike_in_all_launches(self):
        counters = self.metrics(2, ("flop_count_sp", 65536, 65536, 65536), ("dram_read_bytes", 100, 900, 500),
                                ("dram_write_bytes", 100, 100, 100), ("tensor_precision_fu_utilization", *["Idle (0)"] * 3))
        profile = opsight_cli.Profile(self.trace, options=("--counters", counters))
        self.assertIn("1 of 1 measured launches joined with 4 of 4 kernels", profile.imported.stdout)
        report = profile.report("expected_vs_measured", "--whole-run")["expected_vs_measured"]
        (row,) = report["expected_vs_measured"]
        self.assertEqual((row["measured_flops"], row["expected_flops"]), (4 * 65536, 4 * 65536))
        self.assertIsNone(row["measured_bytes"], "what differs between launches is of none of them")
        profile.remove()

    def test_not_joined_where_launches_differ(self):
        for invocations, least in ((2, 1024), (3, 65536)):
            counters = self.metrics(invocations, ("flop_count_sp", least, 65536, 65536))
            done = opsight_cli.run("import", self.trace, "--counters", counters, "-o",
                                   os.path.join(self.folder, "a.opsight"), check=False)
            self.assertEqual(done.returncode, 1, done.stdout)


if __name__ == "__main__":
    unittest.main()
