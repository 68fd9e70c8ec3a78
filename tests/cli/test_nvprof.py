#!/usr/bin/env python3
"""Databases of nvprof from outside: what Python reads in them, and what PyProf made of the same one. Needs the corpus."""

import ast
import collections
import json
import os
import re
import sqlite3
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "nvprof")
NAME = "profiling-lm__net_284kernels.nvprof.sqlite"


UNITS = {"%": 1, "B/s": 1, "KB/s": 1 << 10, "MB/s": 1 << 20, "GB/s": 1 << 30, "TB/s": 1 << 40, "": 1}
LOADS = [f"inst_executed_{memory}_loads" for memory in ("global", "local", "shared", "surface")]


def printed(text):
    """An amount as nvprof prints it: "72.625GB/s", "44.84%", "1381262"."""
    number = re.match(r"[0-9.]+(e[+-]?[0-9]+)?", text).group()
    return float(number) * UNITS[text[len(number):]]


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class Metrics(unittest.TestCase):
    """Metrics over all launches of a kernel, beside what a plain reader finds in the text."""

    def test_the_microscope_shows_them_by_kernel(self):
        path = os.path.join(CORPUS, "nvprof", "darknet19__nvprof_metrics.txt")
        wanted = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("    Kernel: "):
                    kernel = wanted.setdefault(line[len("    Kernel: "):].strip(), {})
                    continue
                words = line.split()
                if wanted and len(words) > 4 and words[0].isdigit() and words[-1][0].isdigit():
                    kernel["calls"], kernel[words[1]] = int(words[0]), printed(words[-1])
        profile = opsight_cli.Profile(path)
        self.addCleanup(profile.remove)
        done = opsight_cli.run("report", profile.path, "--report", "characterize", "--format", "json")
        report = json.loads(done.stdout)["characterize"]
        self.assertEqual((report["characterize_layers"], report["characterize_op_types"]), ([], []))
        rows = {row["kernel_name"]: row for row in report["characterize_kernels"]}
        self.assertEqual(rows.keys(), wanted.keys())
        self.assertEqual(len(rows), 16)
        for name, row in rows.items():
            told = wanted[name]
            self.assertEqual(row["calls"], told["calls"], name)
            self.assertIsNone(row["time_ns"])
            self.assertEqual(row["instructions"], told["calls"] * told["inst_executed"], name)
            loads = sum(told.get(metric, 0) for metric in LOADS)
            for key, value in (("stalled_pct", 100 - told["issue_slot_utilization"]),
                               ("loads_pct", 100 * loads / told["inst_executed"]),
                               ("l1_hit_pct", told["tex_cache_hit_rate"]),
                               ("dram_read_bytes_per_s", told["dram_read_throughput"]),
                               ("l2_bytes_per_s", told["l2_read_throughput"] + told["l2_write_throughput"])):
                self.assertAlmostEqual(row[key], value, delta=1e-6 * abs(value) + 1e-9, msg=f"{name} {key}")
        notes = opsight_cli.run("report", profile.path, "--report", "characterize").stdout
        self.assertNotIn("--counters cpu", notes)


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class Nvprof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        path = os.path.join(CORPUS, "nvprof", NAME)
        cls.source = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        cls.profile = opsight_cli.Profile(path)

    def rows(self, query):
        return self.source.execute(query).fetchall()

    def test_kernels_are_those_of_the_database(self):
        wanted = self.rows("SELECT start, end - start, gridX, blockX, registersPerThread, streamId "
                           "FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ORDER BY start")
        found = self.profile.rows("SELECT begin_ns, dur_ns, grid_x, block_x, registers_per_thread, stream FROM kernels "
                                  "ORDER BY begin_ns")
        origin = wanted[0][0] - found[0].begin_ns
        self.assertEqual([(k.begin_ns + origin, k.dur_ns, k.grid_x, k.block_x, k.registers_per_thread, k.stream)
                          for k in found], wanted)
        self.assertEqual(len(wanted), 284)
        self.assertEqual(self.profile.value("SELECT value FROM raw.meta WHERE key = 'origin_is_unix'"), "true")

    def test_calls_have_their_names(self):
        found = {row.name: row.calls for row in self.profile.rows(
            "SELECT name, count(*) AS calls FROM api_calls GROUP BY name")}
        numbers = dict(self.rows("SELECT cbid, count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY cbid"))
        self.assertEqual(sorted(found.values()), sorted(numbers.values()))
        self.assertEqual((found["cudaGetDevice"], found["cudaLaunchKernel"], found["cudaMalloc"]),
                         (numbers[17], numbers[211], numbers[20]))
        self.assertEqual(found["cudaLaunchKernel"], 284)

    def test_copies_and_sets(self):
        for view, table in (("memcpys", "MEMCPY"), ("memsets", "MEMSET")):
            found = self.profile.rows(f"SELECT dur_ns, bytes FROM {view} ORDER BY begin_ns")
            self.assertEqual([(row.dur_ns, row.bytes) for row in found], self.rows(
                f"SELECT end - start, bytes FROM CUPTI_ACTIVITY_KIND_{table} ORDER BY start"))

    def test_ranges_have_the_times_of_their_markers(self):
        marks = self.rows("SELECT b.timestamp, e.timestamp - b.timestamp FROM CUPTI_ACTIVITY_KIND_MARKER b "
                          "JOIN CUPTI_ACTIVITY_KIND_MARKER e ON e.id = b.id AND e.flags = 4 WHERE b.flags = 2")
        found = self.profile.rows("SELECT begin_ns, dur_ns FROM nvtx_ranges")
        origin = min(marks)[0] - min(row.begin_ns for row in found)
        self.assertEqual(sorted((row.begin_ns + origin, row.dur_ns) for row in found), sorted(marks))
        self.assertEqual(len(found), 1195)

    def test_device(self):
        device = self.profile.rows("SELECT * FROM raw.devices")[0]
        self.assertEqual((device.name, device.sm_count, device.memory_bytes, device.memory_bandwidth),
                         ("Tesla V100-SXM2-16GB", 80, 16914055168, 898048000000))

    def test_kernels_belong_to_the_ops_that_pyprof_found(self):
        with open(os.path.join(CORPUS, "nvprof", "profiling-lm__net_a.pyprof.dict"), encoding="utf-8") as file:
            theirs = [ast.literal_eval(line) for line in file]
        ours = self.profile.rows("SELECT dur_ns, op_name FROM kernels ORDER BY begin_ns")
        self.assertEqual(len(ours), len(theirs))
        self.assertEqual([k.dur_ns for k in ours], [k["kDuration"] for k in theirs])
        differ = collections.Counter()
        for own, other in zip(ours, theirs):
            around = {marker.split(", seq")[0] for marker in other["seqMarker"]}
            if around and own.op_name not in around:
                differ[own.op_name, tuple(around)] += 1
        # PyProf leaves out an op inside of one that has its sequence number.
        self.assertEqual(differ, {("native_layer_norm", ("layer_norm",)): 8, ("nll_loss_forward", ("nll_loss",)): 1})
        self.assertEqual(sum(bool(other["seqMarker"]) for other in theirs), 283)

    def test_both_forms_of_pyprof_tell_the_same_eligible_products(self):
        found = {}
        # In the table attention is one op, and its elementwise kernels are in it.
        for name, share in (("profiling-lm__net_a.pyprof.dict", 45.3), ("profiling-lm__lm_a.pyprof.csv", 47.1)):
            profile = opsight_cli.Profile(os.path.join(CORPUS, "nvprof", name))
            found[name] = profile.value("SELECT sum(dur_ns) FROM kernels WHERE name LIKE '%gemm%' AND in_tc_eligible_op")
            everything = profile.value("SELECT sum(dur_ns) FROM kernels WHERE name LIKE '%gemm%'")
            self.assertEqual(found[name], everything, name)
            advice = json.loads(opsight_cli.run("advise", profile.path, "--rule", "tensor_cores", "--format",
                                                "json").stdout)
            title = advice["findings"][0]["title"]
            self.assertIn(f"about {share}% of the recorded time", title, name)
        self.assertEqual(len(set(found.values())), 1, found)

    def test_a_run_without_gpu_work_is_refused_for_what_it_is(self):
        empty = os.path.join(CORPUS, "nvprof", "profiling-lm__net_empty.nvprof.sqlite")
        done = opsight_cli.run("import", empty, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing was recorded", done.stderr)


if __name__ == "__main__":
    unittest.main()
