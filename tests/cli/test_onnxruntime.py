#!/usr/bin/env python3
"""Profiles of ONNX Runtime from outside, beside what Python's json reads in them. The second class needs the corpus."""

import collections
import json
import os
import tempfile
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "ort")


def node(name, op, provider, ts, dur, **args):
    return {"cat": "Node", "pid": 5, "tid": 6, "ts": ts, "dur": dur, "ph": "X", "name": name + "_kernel_time",
            "args": {"op_name": op, "provider": provider + "ExecutionProvider",
                     "input_type_shape": [{"float": [1, 3, 8, 8]}, {"int64": []}], **args}}


def session(name, ts, dur):
    return {"cat": "Session", "pid": 5, "tid": 6, "ts": ts, "dur": dur, "ph": "X", "name": name, "args": {}}


def kernel(name, op, ts, dur):
    return {"cat": "Kernel", "pid": -1, "tid": -1, "ts": ts, "dur": dur, "ph": "X", "name": name,
            "args": {"op_name": op, "stream": "7", "grid_x": "10", "grid_y": "1", "grid_z": "1", "block_x": "128",
                     "block_y": "1", "block_z": "1"}}


class OnnxRuntime(unittest.TestCase):
    def imported(self, events):
        folder = tempfile.TemporaryDirectory(prefix="opsight-ort-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "a.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(events if isinstance(events, str) else json.dumps(events))
        return opsight_cli.Profile(path)

    def test_nodes_are_ops_and_runs_are_iterations(self):
        events = [session("model_loading_uri", 0, 10), session("session_initialization", 10, 90)]
        for run in range(4):
            at = 1000 * (run + 1)
            events += [node("/layer1/conv/Conv", "Conv", "CUDA", at + 10, 30), kernel("sgemm(float*)", "Conv", at + 35, 50),
                       kernel("Memcpy HtoD", "Conv", at + 90, 5),
                       node("Relu_1", "Relu", "CPU", at + 50, 20, input_type_shape=[{"float16": [2, 3]}]),
                       kernel("stray()", "Conv", at + 99, 3), session("model_run", at, 200)]
        profile = self.imported(events)
        ops = profile.rows("SELECT name, layer, shapes, dtypes, dur_ns FROM ops ORDER BY begin_ns LIMIT 2")
        self.assertEqual([(o.name, o.layer, o.shapes, o.dtypes, o.dur_ns) for o in ops],
                         [("CUDA::Conv", "layer1/conv/Conv", "[[1, 3, 8, 8], []]", '["float", "int64"]', 30000),
                          ("Relu", "Relu_1", "[[2, 3]]", '["float16"]', 20000)])
        kernels = profile.rows("SELECT name, op_name, stream, grid_x, block_x FROM kernels ORDER BY begin_ns LIMIT 2")
        self.assertEqual([(k.name, k.op_name, k.stream, k.grid_x, k.block_x) for k in kernels],
                         [("sgemm(float*)", "CUDA::Conv", 7, 10, 128), ("stray()", "unattributed", 7, 10, 128)])
        self.assertEqual(profile.value("SELECT count(*) FROM memcpys"), 4)
        info = profile.info()
        self.assertEqual((info["iterations"]["total"], info["iterations"]["source"]), (4, "step_marker"))
        self.assertEqual(info["properties"]["execution providers"],
                         "CPUExecutionProvider (4 runs of nodes), CUDAExecutionProvider (4 runs of nodes)")

    def test_damage_is_counted(self):
        whole = json.dumps([session("session_initialization", 0, 10), node("a", "Add", "CPU", 20, 5),
                            node("b", "Mul", "CPU", 30, 5)])
        cut = self.imported(whole[:-40])
        self.assertEqual([row.name for row in cut.rows("SELECT name FROM ops")], ["Add"])
        self.assertEqual(cut.value("SELECT count(*) FROM diagnostics WHERE key = 'truncated_input'"), 1)
        odd = self.imported(whole.replace('"ts": 30', '"ts": "x"').replace("Add", "A\xffdd"))
        self.assertEqual(odd.value("SELECT count FROM diagnostics WHERE key = 'bad_time'"), 1)


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class RealProfiles(unittest.TestCase):
    def test_ops_have_the_counts_times_and_shapes_of_the_file(self):
        folder = os.path.join(CORPUS, "ort")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".json"):
                with self.subTest(name):
                    self.compare(os.path.join(folder, name))

    def compare(self, path):
        with open(path, encoding="utf-8") as file:
            events = json.load(file)
        wanted = collections.Counter()
        for event in events:
            if event["cat"] == "Node":
                shapes = [sizes for tensor in event["args"]["input_type_shape"] for sizes in tensor.values()]
                wanted[event["args"]["op_name"], json.dumps(shapes), event["dur"] * 1000] += 1
        profile = opsight_cli.Profile(path)
        found = collections.Counter((row.name, row.shapes, row.dur_ns) for row in profile.rows(
            "SELECT name, shapes, dur_ns FROM ops"))
        self.assertEqual(found, wanted)
        runs = [event["dur"] * 1000 for event in events if event["name"] == "model_run"]
        iterations = profile.rows("SELECT end_ns - begin_ns AS ns FROM iterations ORDER BY begin_ns")
        self.assertEqual([row.ns for row in iterations], runs)


if __name__ == "__main__":
    unittest.main()
