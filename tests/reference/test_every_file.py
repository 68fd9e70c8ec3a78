#!/usr/bin/env python3
"""Every file of the corpus is imported, with the counts of a plain reading, or refused by name with a reason.

Traces of Kineto and exports of Nsight Systems have tests of their own (test_corpus.py, test_nsys.py). The files come
from outside the repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import ast
import collections
import csv
import gzip
import json
import os
import re
import sqlite3
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "tensorrt")
ELSEWHERE = {"kineto": "test_corpus.py", "nsys-sqlite": "test_nsys.py"}

# What is refused: part of the path, and what the message says of it.
REFUSED = [
    ("graphdef/tensorboard__events", "is a file of TensorBoard's events"),
    ("graphdef/zhacmsra__events", "is a file of TensorBoard's events"),
    ("graphdef/zhacmsra__graph.pbtxt", "is a graph of TensorFlow (GraphDef as text)"),
    ("graphdef/", "is a graph of TensorFlow (GraphDef or SavedModel)"),
    ("onnx/", "is a model (ONNX or other protobuf)"),
    ("ncu-csv/nsightful__copy_blocked_details.txt", "is output of Nsight Compute"),
    ("nsys-csv/jax-toolbox__maxtext_fsdp4_nvtx_pushpop_trace.csv.xz", "is xz-compressed"),
    ("nvprof/profiling-lm__net_empty", "in which nothing was recorded"),
    ("other/chakra/", "is an execution trace of Chakra"),
    ("other/pytorch-et/", "is an execution trace of PyTorch"),
    ("other/pytorch-memory/", "is a memory timeline of PyTorch"),
    (".graph.json", "tells what the layers of a TensorRT engine are, but no times"),
    ("metadata.json", "tells of a TensorRT engine, but no times"),
    ("xplane/derived/", ": "),
]


def manifest():
    with open(os.path.join(CORPUS, "MANIFEST.tsv"), encoding="utf-8") as table:
        return [row[0] for row in csv.reader(table, delimiter="\t")][1:]


def load(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def in_folder(name):
    return [path for path in manifest() if path.startswith(name + "/")]


@unittest.skipUnless(CORPUS, "no corpus")
class EveryFile(unittest.TestCase):
    def test_nothing_is_left_out(self):
        """Each file is refused, counted below, or has a test elsewhere."""
        counted = {"ort", "onednn", "tf-timeline", "tensorrt", "ncu-csv", "nvprof", "other", "nsys-csv", "timeloop",
                   "xplane"}
        folders = {path.split("/")[0] for path in manifest()}
        refused = {path.split("/")[0] for path, _ in REFUSED if "/" in path}
        self.assertEqual(folders - counted - refused - set(ELSEWHERE), set())
        for test in ELSEWHERE.values():
            self.assertTrue(os.path.exists(os.path.join(os.path.dirname(__file__), test)))

    def test_refused(self):
        seen = collections.Counter()
        for path in manifest():
            if path.split("/")[0] in (*ELSEWHERE, "timeloop"):
                continue
            wanted = next((words for part, words in REFUSED if part in path), None)
            if wanted is None:
                continue
            with self.subTest(path):
                done = opsight_cli.run("import", "-o", os.devnull + ".opsight", os.path.join(CORPUS, path), check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(os.path.basename(path), done.stderr)
                self.assertIn(wanted, done.stderr)
                self.assertIn("(", done.stderr.replace("(ONNX", ""), "what to do")
                seen[path.split("/")[0]] += 1
        self.assertGreater(seen["onnx"], 10)
        self.assertGreater(seen["graphdef"], 5)

    def test_specifications_for_mapping(self):
        folder = os.path.join(CORPUS, "timeloop")
        done = opsight_cli.run("import", "-o", os.devnull + ".opsight", folder, check=False)
        self.assertEqual(done.returncode, 1)
        files = sum(len(names) for _, _, names in os.walk(folder))
        self.assertGreater(files, 100)
        self.assertIn(f"and {files - 1} more passed over", done.stderr)

    def check(self, path, counts, **options):
        """Imports a file and compares counts of `opsight info`."""
        with self.subTest(path):
            profile = opsight_cli.Profile(os.path.join(CORPUS, path), **options)
            got = profile.info()["counts"]
            self.assertEqual({key: got.get(key, 0) for key in counts}, counts)
            return profile
        return None

    def test_onnx_runtime(self):
        for path in in_folder("ort"):
            events = load(os.path.join(CORPUS, path))
            nodes = [e for e in events if e.get("cat") == "Node" and e["name"].endswith("_kernel_time")]
            profile = self.check(path, {"ops": len(nodes), "kernels": 0})
            self.assertEqual(profile.value("SELECT sum(dur_ns)::BIGINT FROM ops"), 1000 * sum(e["dur"] for e in nodes))
            profile.remove()

    def test_onednn(self):
        line = re.compile(r"^(?:one)?dnnl?_verbose,(?:\d+(?:\.\d+)?,)?(?:primitive,)?(?:exec|create(?::\w+)?),", re.M)
        for path in in_folder("onednn"):
            with open(os.path.join(CORPUS, path), encoding="utf-8") as file:
                executed = len(line.findall(file.read()))
            self.assertGreater(executed, 0)
            profile = self.check(path, {"ops": executed})
            profile.remove()

    def test_tensorflow_timelines(self):
        for path in in_folder("tf-timeline"):
            events = load(os.path.join(CORPUS, path))["traceEvents"]
            rows = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
            spans = [e for e in events if e["ph"] == "X"]
            streams = [e for e in spans if re.search(r"/stream:\d+ Compute$", rows[e["pid"]])]
            again = [e for e in spans if re.search(r"/(stream:all|memcpy) Compute$", rows[e["pid"]])]
            copies = [e for e in again if rows[e["pid"]].endswith("/memcpy Compute")]
            profile = self.check(path, {"ops": len(spans) - len(streams) - len(again), "memcpys": len(copies),
                                        "kernels": len(streams) - len(copies)})
            self.assertEqual(profile.value("SELECT coalesce(sum(dur_ns), 0)::BIGINT FROM kernels")
                             + profile.value("SELECT coalesce(sum(dur_ns), 0)::BIGINT FROM memcpys"),
                             1000 * sum(e["dur"] for e in streams))
            self.assertEqual(profile.value("SELECT count(*) FROM kernels WHERE op_span IS NULL"), 0)
            profile.remove()

    def test_tensorrt(self):
        engines = [path for path in in_folder("tensorrt") if path.endswith(".profile.json")]
        self.assertGreater(len(engines), 3)
        for path in engines:
            rows = [row for row in load(os.path.join(CORPUS, path)) if "name" in row]
            working = [row for row in rows if row["averageMs"] > 0]
            profile = self.check(os.path.dirname(path), {"ops": len(rows), "kernels": len(working)})
            took = sum(round(row["averageMs"] * 1e6) for row in rows)
            self.assertEqual(profile.value("SELECT sum(dur_ns)::BIGINT FROM kernels"), took)
            (summary,) = [row for row in profile.report("op_type", "--limit", "0")["op_type"]
                          if row["op_type"] == "convolution"]
            self.assertIsNone(summary["total_cpu_time_ns"], "the time of the host is not 0, but not known")
            convolutions = [layer["Name"] for layer in load(os.path.join(CORPUS, path).replace(".profile.", ".graph."))
                            ["Layers"] if layer.get("ParameterType") == "Convolution"]
            self.assertEqual(summary["calls"], len(convolutions))
            profile.remove()

    def test_inferences_of_tensorrt(self):
        for path in in_folder("tensorrt"):
            if not path.endswith(".timing.json"):
                continue
            runs = load(os.path.join(CORPUS, path))
            profile = self.check(path, {"api_calls": len(runs), "other_device_spans": len(runs), "kernels": 0})
            self.assertEqual(profile.info()["iterations"]["total"], len(runs) - 1, "the last has no next one")
            self.assertEqual(profile.value("SELECT sum(dur_ns)::BIGINT FROM device_other"),
                             sum(round(run["computeMs"] * 1e6) for run in runs))
            profile.remove()

    def test_counters(self):
        path = "ncu-csv/nsightful__copy_blocked.csv"
        with open(os.path.join(CORPUS, path), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        values = [row for row in rows if re.fullmatch(r"[\d,.]+", row["Metric Value"] or "")]
        profile = self.check(path, {"kernels": len({row["ID"] for row in rows}), "counter_samples": len(values)})
        profile.remove()

    def test_nvprof(self):
        path = "nvprof/profiling-lm__net_284kernels.nvprof.sqlite"
        with sqlite3.connect(f"file:{os.path.join(CORPUS, path)}?mode=ro", uri=True) as database:
            ((kernels,),) = database.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL")
        self.assertEqual(kernels, 284)
        self.check(path, {"kernels": kernels}).remove()

    def test_metrics_of_nvprof(self):
        path = "nvprof/darknet19__nvprof_metrics.txt"
        kernels, samples = 0, 0
        scale = {"": 1, "%": 1, "B/s": 1, "KB/s": 2 ** 10, "MB/s": 2 ** 20, "GB/s": 2 ** 30}

        def number(text):
            if level := re.search(r"\((\d+)\)$", text):
                return float(level[1])
            digits, unit = re.fullmatch(r"([\d.]+(?:e\+\d+)?)(.*)", text).groups()
            return float(digits) * scale[unit]

        total = 0.0
        with open(os.path.join(CORPUS, path), encoding="utf-8") as file:
            for line in file:
                kernels += line.startswith("    Kernel: ")
                parts = re.split(r" {2,}", line.strip())
                if len(parts) == 6 and parts[0].isdigit():
                    least, most, average = map(number, parts[3:])
                    alike = most - least <= 0.01 * most
                    samples += 1 if alike else 3
                    total += average
        self.assertEqual(kernels, 16)
        self.assertGreater(samples, kernels * 150)
        profile = self.check(path, {"kernels": 0, "other_device_spans": kernels, "counter_samples": samples + kernels})
        got = profile.value("SELECT sum(value) FROM counters WHERE NOT name LIKE '%(m%)%' AND name <> 'invocations'")
        self.assertAlmostEqual(got / total, 1, 9)
        profile.remove()

    def test_pyprof(self):
        dicts, table = "nvprof/profiling-lm__net_a.pyprof.dict", "nvprof/profiling-lm__lm_a.pyprof.csv"
        with open(os.path.join(CORPUS, dicts), encoding="utf-8") as file:
            told = [ast.literal_eval(line) for line in file]
        calls = [(row["marker"], row["seqMarker"], row["trace"], row["dir"], row["tid"]) for row in told]
        changes = sum(1 for i, call in enumerate(calls) if (call[0] or call[1]) and (i == 0 or call != calls[i - 1]))
        profile = self.check(dicts, {"kernels": len(told), "ops": changes})
        self.assertEqual(profile.value("SELECT sum(dur_ns)::BIGINT FROM kernels"), sum(row["kDuration"] for row in told))
        profile.remove()
        with open(os.path.join(CORPUS, table), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        profile = self.check(table, {"kernels": len(rows)})
        self.assertIn("and no times", json.dumps(profile.report("summary")), "stands above every report")
        work = profile.report("summary")["summary"]["work"]
        self.assertAlmostEqual(work["flops"], sum(float(row["FLOPs"]) for row in rows), delta=len(rows))
        self.assertEqual(profile.value("SELECT sum(dur_ns)::BIGINT FROM kernels"), sum(int(row["Sil(ns)"]) for row in rows))
        profile.remove()

    def test_rocprof(self):
        (path,) = in_folder("other/rocprof")
        (tool,) = load(os.path.join(CORPUS, path))["rocprofiler-sdk-tool"]
        self.check(path, {"kernels": len(tool["buffer_records"]["kernel_dispatch"])}).remove()


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("every file of the corpus: set OPSIGHT_CORPUS to its folder")
    unittest.main()
