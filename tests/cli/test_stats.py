#!/usr/bin/env python3
"""opsight stats from outside: names, formats, files, what is skipped, traces given directly. Needs no corpus."""

import contextlib
import csv
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest

import opsight_cli
from test_cli import trace

DEFAULT_REPORTS = ("nvtx_sum", "cuda_api_sum", "cuda_gpu_kern_sum")  # those that the trace has data for
S9 = ["Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"]


class StatsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opsight-stats-")
        self.addCleanup(shutil.rmtree, self.folder)
        with open(self.path("run.json"), "w", encoding="utf-8") as file:
            json.dump(trace(), file)
        opsight_cli.run("import", "run.json", "-q", cwd=self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def stats(self, *arguments, **options):
        return opsight_cli.run("stats", "run.opsight", *arguments, cwd=self.folder, **options)

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.stats(*arguments, "-f", "csv").stdout)))

    def test_kernels(self):
        rows = self.rows("-r", "cuda_gpu_kern_sum")
        self.assertEqual(list(rows[0]), S9 + ["Name"])
        gemm, relu = rows
        self.assertEqual([gemm[key] for key in S9],
                         ["68.3", "86000", "4", "21500.0", "21500.0", "20000", "23000", "1291.0"])
        self.assertEqual((relu["Name"], relu["Total Time (ns)"]), ("relu_kernel(float*)", "40000"))
        self.assertEqual(self.rows("-r", "gpukernsum:base")[1]["Name"], "relu_kernel")

    def test_projection_of_ops_and_annotations(self):
        rows = {row["Range"]: row for row in self.rows("-r", "nvtx_gpu_proj_sum")}
        self.assertEqual(set(rows), {f":ProfilerStep#{n}" for n in range(4)} | {":aten::linear", ":aten::relu"})
        self.assertEqual(rows[":aten::linear"]["Total Proj Time (ns)"], "86000")
        self.assertEqual(rows[":aten::linear"]["Avg Range Lvl"], "1.0")
        self.assertEqual(rows[":ProfilerStep#0"]["Total Proj Time (ns)"], "40000")  # 30 to 70 us
        self.assertEqual(rows[":ProfilerStep#0"]["Avg Num Child"], "2.0")

    def test_the_default_reports_and_what_is_skipped(self):
        done = self.stats("-f", "column")
        for name in DEFAULT_REPORTS:
            self.assertIn(f" ({name}):\n", done.stdout)
        self.assertIn("SKIPPED: run.opsight does not contain OS Runtime trace data.\n", done.stdout)
        self.assertIn("SKIPPED: run.opsight does not contain GPU memory data.\n", done.stdout)
        # a table for a program is a table and nothing else
        done = self.stats("-r", "cuda_gpu_mem_time_sum", "-f", "csv")
        self.assertEqual((done.stdout, done.returncode), ("", 0))
        self.assertEqual(done.stderr, "SKIPPED: run.opsight does not contain GPU memory data.\n")

    def test_every_listed_report_runs(self):
        text = self.stats("--help-reports").stdout
        names = [line[3:].split("[")[0].split()[0]
                 for line in text.split("\n") if " -- " in line]
        self.assertGreater(len(names), 20)
        for name in names:
            self.stats("-r", name, "-f", "json")

    def test_files_are_named_as_nsys_names_them(self):
        self.stats("-r", "cuda_gpu_kern_sum:base,cuda_api_sum", "-r", "nvtx_sum", "-f", "csv,json,column", "-o", ".")
        self.stats("-r", "cuda_api_sum", "-f", "tsv", "-o", "other")
        self.stats("-r", "cuda_api_sum,nvtx_sum", "-f", "hdoc", "-o", "page")
        made = {name for name in os.listdir(self.folder) if not name.startswith("run.")}
        self.assertEqual(made, {"run_cuda_gpu_kern_sum_base.csv", "run_cuda_api_sum.json", "run_nvtx_sum.txt",
                                "other_cuda_api_sum.tsv", "page_cuda_api_sum.html", "page_nvtx_sum.html"})
        done = self.stats("-r", "cuda_api_sum", "-f", "tsv", "-o", "other", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("exists already", done.stderr)
        self.assertIn("--force", done.stderr)
        for replace in ("--force", "--force-overwrite"):
            self.stats("-r", "cuda_api_sum", "-f", "tsv", "-o", "other", replace)

    def test_three_lists_go_side_by_side(self):
        done = self.stats("-r", "cuda_api_sum,cuda_gpu_kern_sum", "-f", "json", "-o", "@cat,-")
        first, second = done.stdout.split("]\n", 1)
        self.assertEqual(json.loads(first + "]")[0]["Name"], "cudaLaunchKernel")
        self.assertEqual(len(json.loads(second)), 2)
        done = self.stats("-r", "cuda_api_sum,cuda_gpu_mem_time_sum,cuda_gpu_kern_sum", "-f", "csv")
        self.assertEqual([len(part.split("\n")) for part in done.stdout.rstrip("\n").split("\n\n")], [2, 3])
        done = self.stats("-r", "cuda_api_sum", "-o", "@false", check=False)
        self.assertIn("'false' failed", done.stderr)

    def test_units_and_filters(self):
        row = self.rows("-r", "cuda_gpu_kern_sum", "--timeunit", "usec")[0]
        self.assertEqual((row["Total Time (us)"], row["Avg (us)"]), ("86.000", "21.500"))
        self.assertEqual(self.rows("-r", "cuda_gpu_kern_sum", "--timeunit", "microseconds")[0], row)
        self.assertEqual(self.rows("-r", "cuda_gpu_kern_sum", "--filter-time", "0/65000")[0]["Instances"], "1")
        self.assertEqual(self.rows("-r", "cuda_api_sum", "--filter-nvtx", "ProfilerStep#1")[0]["Num Calls"], "2")
        self.assertEqual(self.rows("-r", "cuda_api_sum", "--filter-nvtx", "aten::relu/3")[0]["Num Calls"], "1")
        self.assertNotEqual(self.stats("--filter-nvtx", "nothing", check=False).returncode, 0)
        for wrong in (("--filter-time", "5"), ("--timeunit", "m"), ("-r", "nothing"), ("-f", "xml"),
                      ("-r", "cuda_api_sum:base")):
            self.assertEqual(self.stats(*wrong, check=False).returncode, 2, wrong)

    def test_a_trace_is_read_directly_and_nothing_stays(self):
        temporary = self.path("tmp")
        os.mkdir(temporary)
        done = opsight_cli.run("stats", "run.json", "-r", "cuda_gpu_kern_sum", "-f", "csv", "-o", ".",
                               cwd=self.folder, env={**os.environ, "TMPDIR": temporary})
        self.assertEqual(done.stdout, "")
        self.assertEqual(os.listdir(temporary), [])
        with open(self.path("run_cuda_gpu_kern_sum.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.stats("-r", "cuda_gpu_kern_sum", "-f", "csv").stdout)
        self.assertEqual(opsight_cli.run("stats", "missing", cwd=self.folder, check=False).returncode, 1)

    def test_nothing_stays_where_the_reader_leaves(self):
        temporary = self.path("tmp")
        os.mkdir(temporary)
        with subprocess.Popen([opsight_cli.PROGRAM, "stats", "run.json", "-q", "-f", "csv", "-r", "nvtx_sum"],
                              cwd=self.folder, env={**os.environ, "TMPDIR": temporary},
                              stdout=subprocess.PIPE) as process:
            process.stdout.close()  # before the first line
            self.assertEqual(process.wait(), -signal.SIGPIPE)
        self.assertEqual(os.listdir(temporary), [])

    def test_messages_name_the_file_that_was_given(self):
        done = opsight_cli.run("stats", "run.json", "-q", "--filter-nvtx", "nothing", cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("opsight: run.json: no NVTX range", done.stderr)
        done = self.stats("-r", "nvtx_sum", "-f", "csv", "-o", "nowhere/x", check=False)
        self.assertIn("nowhere/x_nvtx_sum.csv: the folder of the output does not exist", done.stderr)

    def analyze(self, *arguments, **options):
        return opsight_cli.run("analyze", "run.opsight", *arguments, cwd=self.folder, **options)

    def test_graphs_recorded_as_a_whole_are_told(self):
        with contextlib.closing(sqlite3.connect(self.path("graph.sqlite"))) as export:
            export.executescript("""
                CREATE TABLE StringIds (id INTEGER, value TEXT);
                INSERT INTO StringIds VALUES (1, 'cudaGraphLaunch'), (2, 'kernel');
                CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
                INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 10, 83886087, 1, 1), (50, 60, 83886087, 2, 1);
                CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE
                    (start, end, deviceId, contextId, streamId, correlationId, globalPid, graphId);
                INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES
                    (20, 40, 0, 1, 7, 1, 83886080, 3), (70, 95, 0, 1, 7, 2, 83886080, 3);""")
        told = "note: the reports leave out, as nsys does, 2 launches of CUDA graphs (45 ns on devices)"
        run = lambda *arguments: opsight_cli.run("stats", "graph.sqlite", *arguments, cwd=self.folder)
        self.assertIn(told, run().stderr)
        self.assertIn(told, run("-r", "cuda_gpu_kern_sum", "-f", "csv").stderr)
        self.assertNotIn("note:", run("-r", "cuda_api_sum").stderr)
        self.assertNotIn("note:", run("-q").stderr)
        done = opsight_cli.run("report", "graph.sqlite", "--style", "dlprof", cwd=self.folder)
        self.assertIn(told, done.stderr)

    def test_rules(self):
        text = self.analyze("-f", "column").stdout
        self.assertIn("SKIPPED: run.opsight could not be analyzed because it does not contain the required CUDA data. "
                      "Does the application use CUDA memcpy APIs?", text)
        self.assertIn("No GPU is idle for more than 500 ms.", text)
        self.assertIn(" ** GPU Time Utilization (gpu_time_util):", text)
        for name in ("cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync", "cuda_api_sync", "gpu_gaps",
                     "gpu_time_util"):
            self.assertIn(name, self.analyze("--help-rules").stdout)
        # 100 us a step, of which the last kernel ends at 70 and the first begins at 30
        rows = json.loads(self.analyze("-r", "gpu_gaps:gap=0", "-f", "json", "-q").stdout)
        self.assertEqual([row["Duration (ns)"] for row in rows[:3]], [60000, 60000, 60000])
        self.assertEqual(json.loads(self.analyze("-r", "gpu_gaps", "--gap", "0", "--rows", "2", "-f", "json").stdout),
                         rows[:2])
        self.analyze("-r", "gpu_gaps:gap=0,gpu_time_util", "-f", "csv", "-o", "found")
        self.assertTrue(os.path.exists(self.path("found_gpu_gaps_gap=0.csv")))
        for wrong in (("-r", "nothing"), ("-r", "gpu_gaps:chunks=2"), ("--chunks", "0"), ("--timeunit", "h")):
            self.assertEqual(self.analyze(*wrong, check=False).returncode, 2, wrong)


if __name__ == "__main__":
    unittest.main()
