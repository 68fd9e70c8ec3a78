#!/usr/bin/env python3
"""The trace scaler: N copies hold exactly N times the spans, with ids of their own, and import as such."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import count_trace
import opsight_cli

SCALER = os.path.join(os.path.dirname(opsight_cli.PROGRAM), "scale_trace")
COPIES = 3
SOURCE = {
    "schemaVersion": 1, "distributedInfo": {"rank": 5}, "baseTimeNanoseconds": 1000000000,
    "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 1, "ts": 0, "args": {"name": "python"}},
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "pid": 1, "tid": 1, "ts": 100.5, "dur": 50},
        {"ph": "X", "cat": "cpu_op", "name": "aten::\"mm\" {\\", "pid": 1, "tid": 1, "ts": 101.25, "dur": 10.125,
         "args": {"External id": 4, "Sequence number": 0, "Ev Idx": 0, "Input Dims": [[2, 3], []]}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 102, "dur": 5,
         "args": {"External id": 4, "correlation": 9, "cbid": 211}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 120.001, "dur": 7.5,
         "args": {"External id": 4, "correlation": 9, "device": 0, "stream": 7}},
        {"ph": "s", "id": 9, "pid": 1, "tid": 1, "ts": 102, "cat": "ac2g", "name": "ac2g"},
        {"ph": "X", "cat": "python_function", "name": "f", "pid": 1, "tid": 1, "ts": 100, "dur": 60,
         "args": {"Python id": 1, "Python parent id": None, "Python module id": 0}}],
    "traceName": "small"}


class ScaleTest(unittest.TestCase):
    def scale(self, target, source):
        path = os.path.join(opsight_cli.temporary_folder(), "source.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        target = os.path.join(opsight_cli.temporary_folder(), target)
        done = subprocess.run([SCALER, path, target, "--copies", str(COPIES)], text=True, capture_output=True)
        return target, done

    def test_counts_ids_and_times(self):
        for name in ("scaled.json", "scaled.json.gz"):
            target, done = self.scale(name, json.dumps(SOURCE))
            self.assertEqual(done.returncode, 0, done.stderr)
            (trace,) = count_trace.load(target)
            self.assertEqual(trace.rank, 5)
            self.assertEqual([len(spans) for spans in (trace.ops, trace.api, trace.kernels, trace.python)],
                             [COPIES] * 4)
            self.assertEqual(trace.categories["M", None], 1)
            self.assertEqual([mark.name for mark in trace.annotations], [f"ProfilerStep#{7 + k}" for k in range(COPIES)])
            self.assertEqual([op.dur for op in trace.ops], [10125] * COPIES)
            periods = {later.begin - earlier.begin for spans in (trace.ops, trace.kernels, trace.api)
                       for earlier, later in zip(spans, spans[1:])}
            self.assertEqual(len(periods), 1)
            self.assertGreaterEqual(periods.pop(), 60000)
            launches = list(trace.launches())
            self.assertEqual(len({kernel.args["correlation"] for kernel, _, _ in launches}), COPIES)
            for kernel, call, op in launches:
                self.assertEqual(kernel.args["External id"], op.args["External id"])
                self.assertEqual(kernel.begin - call.begin, 18001)
            self.assertEqual([op.args["Sequence number"] for op in trace.ops], list(range(COPIES)))
            self.assertEqual([frame.args["Python parent id"] for frame in trace.python], [None] * COPIES)
            self.assertEqual({op.name for op in trace.ops}, {'aten::"mm" {\\'})

    def test_import_counts_are_multiples(self):
        target, _ = self.scale("scaled.json", json.dumps(SOURCE))
        counts = opsight_cli.Profile(target).info()["counts"]
        self.assertEqual({kind: counts[kind] for kind in ("ops", "kernels", "api_calls", "unattributed_kernels")},
                         {"ops": COPIES, "kernels": COPIES, "api_calls": COPIES, "unattributed_kernels": 0})

    def test_refuses_what_it_would_guess(self):
        for text in ("", "{}", "[1]", '{"traceEvents": [', '[{"ph": "X", "ts": 1e15, "dur": 1, "name": "a"}]',
                     '[{"ph": "X", "ts": 9223372036854775807, "dur": 1, "name": "a"}]'):
            _, done = self.scale("bad.json", text)
            self.assertEqual(done.returncode, 1, text)
            self.assertIn("scale_trace: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
