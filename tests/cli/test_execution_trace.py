#!/usr/bin/env python3
"""`opsight import TRACE --execution-trace FILE`: which ops get shapes, what follows, and what is refused. Counts are
made anew here, from the files."""
import collections
import gzip
import json
import os
import shutil
import tempfile
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "kineto")


def event(category, name, begin, dur, pid=42, **args):
    tid = 7 if category == "kernel" else 1
    return {"ph": "X", "cat": category, "name": name, "pid": 0 if category == "kernel" else pid, "tid": tid, "ts": begin,
            "dur": dur, "args": args}


def trace(numbers=(21, 22)):
    """Two products of matrices whose shapes it does not tell."""
    events = []
    for i, begin in enumerate((0, 100)):
        events += [
            event("cpu_op", "aten::mm", begin, 50, **{"External id": i + 1, "Record function id": numbers[i]}),
            event("cuda_runtime", "cudaLaunchKernel", begin + 10, 5, correlation=i + 1),
            event("kernel", "ampere_sgemm", begin + 20, 10, correlation=i + 1, device=0, stream=7)]
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "computeMajor": 8,
                                                      "computeMinor": 0}], "traceEvents": events}


def node(number, one, other, identity):
    return {"id": identity, "name": "aten::mm", "ctrl_deps": 2,
            "inputs": {"values": [[5, 6, 0, 1, 4, "cuda:0"]] * 2, "shapes": [one, other], "types": ["Tensor(float)"] * 2},
            "outputs": {"values": [], "shapes": [], "types": []},
            "attrs": [{"name": key, "type": "int64", "value": value} for key, value in
                      (("rf_id", number), ("fw_parent", 0), ("seq_id", -1), ("scope", 0), ("tid", 1), ("fw_tid", 0))]}


def execution_trace(pid=42, numbers=(21, 22)):
    nodes = [node(numbers[1], [8, 4], [4, 2], 11), node(numbers[0], [64, 32], [32, 16], 10)]
    return {"schema": "1.1.0-chakra.0.0.4", "pid": pid, "time": "2026", "start_ts": 1, "nodes": nodes, "finish_ts": 2}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def part(field, value):
    """A field of a message of protobuf: a number, or bytes behind their length."""
    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value, field):
    return part(1, name.encode()) + part(field, value)


def as_chakra(document):
    """What Chakra's converter writes of an execution trace: numbers of its own are those of schema/protobuf/et_def.proto."""
    facts = b"".join(part(2, attribute(key, value, field)) for key, value, field in
                     (("schema", b"1.1.0-chakra.0.0.4", 29), ("pid", document["pid"], 13), ("start_ts", 1, 13)))
    messages = [facts]
    for told in document["nodes"]:
        lists = b"".join(part(field, str(told["inputs"][key]).encode())
                         for field, key in ((1, "values"), (2, "shapes"), (3, "types")))
        messages.append(part(1, told["id"]) + part(2, told["name"].encode()) + part(8, lists) +
                        b"".join(part(10, attribute(each["name"], each["value"], 9)) for each in told["attrs"]) +
                        part(10, attribute("is_cpu_op", 1, 27)))
    return b"".join(varint(len(message)) + message for message in messages)


class ExecutionTrace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())

    def write(self, name, document):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with gzip.open(path, "wt") if name.endswith(".gz") else open(path, "w", encoding="utf-8") as file:
            file.write(document if isinstance(document, str) else json.dumps(document))
        return path

    def refused(self, *arguments):
        done = opsight_cli.run("import", *arguments, "-o", os.path.join(self.folder, "x.opsight"), check=False)
        self.assertEqual(done.returncode, 1)
        return done.stderr

    def assert_joined(self, profile):
        rows = profile.rows("SELECT shapes, dtypes FROM ops ORDER BY begin_ns")
        self.assertEqual([(row.shapes, row.dtypes) for row in rows],
                         [("[[64, 32], [32, 16]]", '["float", "float"]'), ("[[8, 4], [4, 2]]", '["float", "float"]')])

    def test_shapes_and_work(self):
        plain = opsight_cli.Profile(self.write("trace.json", trace()))
        self.assertEqual(plain.value("SELECT count(*) FROM ops WHERE shapes IS NOT NULL AND shapes <> ''"), 0)
        for numbers, said in (((21, 22), "2 of 2 calls joined with 2 of 2 ops by their numbers"),
                              ((0, 0), "2 of 2 calls joined with 2 of 2 ops: 2 by thread, name and order")):
            with self.subTest(numbers=numbers):
                profile = opsight_cli.Profile(
                    self.write("trace.json", trace(numbers)),
                    options=("--execution-trace", self.write("et.json.gz", execution_trace(numbers=numbers))))
                self.assertIn(f"execution trace: {said}; 2 got shapes or values", profile.imported.stdout)
                self.assertIn(said, profile.info()["properties"]["execution_trace"])
                self.assert_joined(profile)
                (ops, *_) = profile.report("expected_vs_measured", "--whole-run")["expected_vs_measured"].values()
                self.assertEqual(sum(row["expected_flops"] for row in ops), 2 * 64 * 32 * 16 + 2 * 8 * 4 * 2)

    def test_found_beside_the_trace(self):
        self.write("run/trace.json", trace())
        self.write("run/et.json", execution_trace())
        profile = opsight_cli.Profile(os.path.join(self.folder, "run"))
        self.assert_joined(profile)
        self.assertEqual(profile.value("SELECT count(*) FROM raw.diagnostics WHERE key = 'skipped_file' AND count > 0"), 0)
        archive = shutil.make_archive(os.path.join(self.folder, "packed"), "gztar", os.path.join(self.folder, "run"))
        self.assert_joined(opsight_cli.Profile(archive))

    def test_found_and_of_another_run(self):
        self.write("run/trace.json", trace())
        self.write("run/et.json", execution_trace(pid=43))
        self.write("run/broken.json", json.dumps(execution_trace())[:-30])
        profile = opsight_cli.Profile(os.path.join(self.folder, "run"), options=("--all-diagnostics",))
        self.assertIn("et.json is of process 43, and the ops of the trace are of 42: another run", profile.imported.stderr)
        self.assertIn("broken.json: an execution trace of PyTorch breaks off or is damaged", profile.imported.stderr)

    def test_chakra(self):
        made = os.path.join(self.folder, "chakra.0.et")
        with open(made, "wb") as file:
            file.write(as_chakra(execution_trace()))
        profile = opsight_cli.Profile(self.write("trace.json", trace()), options=("--execution-trace", made))
        self.assertIn("2 of 2 calls joined with 2 of 2 ops by their numbers; 2 got shapes", profile.imported.stdout)
        self.assert_joined(profile)
        self.assertIn("tells a part of the calls", self.refused(self.write("trace.json", trace((0, 0))),
                                                                "--execution-trace", made))
        alone = self.refused(made)
        self.assertIn("is an execution trace of Chakra, not a trace", alone)
        self.assertIn("--execution-trace", alone)

    def test_refused(self):
        path, other = self.write("trace.json", trace()), self.write("other.json", execution_trace(pid=43))
        self.assertIn("is of process 43, and the ops of the trace are of 42", self.refused(path, "--execution-trace", other))
        self.assertIn("is not an execution trace of PyTorch", self.refused(path, "--execution-trace", path))
        self.assertIn("x.json", self.refused(path, "--execution-trace", os.path.join(self.folder, "x.json")))
        alone = self.refused(other)
        self.assertIn("is an execution trace of PyTorch (its graph of ops), not a trace", alone)
        self.assertIn("--execution-trace", alone)
        self.write("alone/et.json", execution_trace())
        self.assertIn("is an execution trace of PyTorch", self.refused(os.path.join(self.folder, "alone")))
        both = self.write("alone/chakra.json", {"workload_graph": [{"Id": 1, "ctrlDeps": []}]})
        self.assertIn("not when", self.refused(both))


def attributes(found):
    return {each["name"]: each["value"] for each in found["attrs"]} if "attrs" in found else found


def tensors(types, shapes):
    return [shape if kind.startswith(("Tensor(", "GenericList[Tensor(")) and "nullptr" not in kind else []
            for kind, shape in zip(types, shapes, strict=True)]


def places(calls, ops):
    """Where the names of `calls` stand one behind the other in `ops`, with no number of autograd that differs."""
    names = [call["name"] for call in calls]
    for at in range(len(ops) - len(calls) + 1):
        if [op["name"] for op in ops[at:at + len(calls)]] == names:
            pairs = [(call["seq_id"], op["args"].get("Sequence number", -1))
                     for call, op in zip(calls, ops[at:], strict=False)]
            if all(one == other or -1 in (one, other) for one, other in pairs):
                yield at


@unittest.skipUnless(CORPUS, "no corpus")
class PairsOfTheCorpus(unittest.TestCase):
    """Real pairs of a trace without shapes and an execution trace of the same process."""

    def check(self, trace_path, execution_path, expected):
        trace_path, execution_path = (os.path.join(CORPUS, path) for path in (trace_path, execution_path))
        with gzip.open(trace_path, "rt") as file:
            events = json.load(file)["traceEvents"]
        with gzip.open(execution_path, "rt") as file:
            nodes = [attributes(each) | each for each in json.load(file)["nodes"]]
        threads, calls = collections.defaultdict(list), collections.defaultdict(list)
        for op in sorted((e for e in events if e.get("cat") == "cpu_op"), key=lambda e: e["args"]["External id"]):
            threads[op["tid"]].append(op)
        for call in sorted((n for n in nodes if n["scope"] != 7), key=lambda n: n["id"]):
            calls[call["tid"]].append(call)
        shapes = {}
        for each in calls.values():
            found = [(tid, at) for tid, ops in threads.items() for at in places(each, ops)]
            self.assertEqual(len(found), 1)
            for call, op in zip(each, threads[found[0][0]][found[0][1]:], strict=False):
                if call["input_types"]:
                    shapes[op["args"]["External id"]] = tensors(call["input_types"], call["input_shapes"])
        self.assertEqual(len(shapes), expected)
        profile = opsight_cli.Profile(trace_path, options=("--execution-trace", execution_path))
        rows = profile.rows("SELECT external_id, shapes FROM ops WHERE shapes IS NOT NULL AND shapes <> ''")
        self.assertEqual({row.external_id: json.loads(row.shapes) for row in rows}, shapes)
        self.assertIn(f"{expected} got shapes or values", profile.imported.stdout)
        return profile

    def test_one_iteration_of_forty(self):
        execution_trace_path = "other/pytorch-et/linear_et.json.gz"
        profile = self.check("kineto/param/linear_kineto.json.gz", execution_trace_path, 818)
        with gzip.open(os.path.join(CORPUS, execution_trace_path), "rt") as file:
            products = [each["input_shapes"] for each in json.load(file)["nodes"] if each["name"] == "aten::mm"]
        rows = profile.report("roofline", "--whole-run", "--limit", "0")["roofline"]["roofline"]
        self.assertEqual(sum(row["flops"] or 0 for row in rows if row["op_name"] == "aten::mm"),
                         sum(2 * one[0] * one[1] * other[1] for one, other in products))

    def test_a_whole_run(self):
        self.check("kineto/hta/execution_trace__benchmark_simple_add_trace.json.gz",
                   "other/pytorch-et/hta__benchmark_simple_add_et.json.gz", 28)

    def test_alone_in_an_archive_by_name(self):
        done = opsight_cli.run("import", os.path.join(CORPUS, "kineto/param/linear_kineto.json.gz"), "--execution-trace",
                               os.path.join(CORPUS, "other/pytorch-et/resnet_1gpu_et.json.tar.gz"), "-o",
                               os.path.join(opsight_cli.temporary_folder(), "no.opsight"), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is of process 177708, and the ops of the trace are of 24248: another run", done.stderr)


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("the pairs of traces and execution traces: no corpus")
    unittest.main()
