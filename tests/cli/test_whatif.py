#!/usr/bin/env python3
"""opsight whatif from outside: predictions of a run whose dependencies are plain to see, and its refusals. The last class needs
the corpus."""

import csv
import json
import os
import tempfile
import unittest

import opsight_cli
from tiny_trace import span


def step(number):
    """1 ms: 300 us of data loading, an op that launches 400 us of work, and a wait for that."""
    at, first = 1000.0 * number, 10 * number
    return [
        span("user_annotation", f"ProfilerStep#{number}", 1, at, 1000),
        span("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, at, 300),
        span("cpu_op", "aten::mm", 1, at + 400, 100),
        span("cuda_runtime", "cudaLaunchKernel", 1, at + 450, 10, correlation=first + 1),
        span("kernel", "sgemm_128", 7, at + 470, 400, pid=0, device=0, stream=7, correlation=first + 1,
             grid=[80, 1, 1], block=[128, 1, 1]),
        span("cuda_runtime", "cudaDeviceSynchronize", 1, at + 500, 380, correlation=first + 2),
    ]


class WhatIf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="opsight-whatif-")
        cls.addClassCleanup(folder.cleanup)
        trace, cls.profile = os.path.join(folder.name, "a.json"), os.path.join(folder.name, "a.opsight")
        with open(trace, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": [event for i in range(6) for event in step(i)]}, file)
        opsight_cli.run("import", trace, "-o", cls.profile)

    def ask(self, *arguments):
        return json.loads(opsight_cli.run("whatif", self.profile, "--json", *arguments).stdout)["whatif"]

    def predicted(self, *arguments):
        return self.ask(*arguments)["prediction"]["predicted_ns"]

    def test_the_replay_is_what_was_measured(self):
        base = self.ask()["base"]
        self.assertEqual((base["measured_ns"], base["replayed_ns"], base["error_pct"]), (1_000_000, 1_000_000, 0))
        self.assertIs(base["simulatable"], True)

    def test_each_change_alone_and_together(self):
        self.assertEqual(self.predicted("--scale", "kernel:~gemm.*=0.5"), 800_000)
        self.assertEqual(self.predicted("--scale", "kernel:sgemm*=0.5"), 800_000)
        self.assertEqual(self.predicted("--remove", "dataloader"), 700_000)
        self.assertEqual(self.predicted("--clock", "2"), 800_000)
        self.assertEqual(self.predicted("--remove", "dataloader", "--scale", "kernel:sgemm_128=0.5"), 500_000)
        self.assertEqual(self.predicted("--scale", "op:aten::mm=1"), 1_000_000)

    def test_where_no_wait_was_recorded_the_answer_says_what_that_means(self):
        words, scale = "no call that waits for the device was recorded", ("--scale", "kernel:sgemm_128=0.5")
        self.assertNotIn(words, opsight_cli.run("whatif", self.profile, *scale).stdout)
        events = [event for i in range(6) for event in step(i) if event["name"] != "cudaDeviceSynchronize"]
        with tempfile.TemporaryDirectory(prefix="opsight-whatif-") as folder:
            trace, profile = os.path.join(folder, "a.json"), os.path.join(folder, "a.opsight")
            with open(trace, "w", encoding="utf-8") as file:
                json.dump({"schemaVersion": 1, "traceEvents": events}, file)
            opsight_cli.run("import", trace, "-o", profile)
            self.assertIn(words, " ".join(opsight_cli.run("whatif", profile, *scale).stdout.split()))
            self.assertNotIn(words, " ".join(opsight_cli.run("whatif", profile).stdout.split()))

    def test_waits_that_are_gone_leave_the_device_to_bind(self):
        answer = self.ask("--remove", "sync")
        self.assertLess(answer["prediction"]["predicted_ns"], 1_000_000)
        self.assertIn("bound", " ".join(answer["notes"]))

    def test_one_iteration(self):
        self.assertEqual([row["iteration"] for row in self.ask("--iteration", "3")["iterations"]], [3])

    def test_the_report_has_the_same_path(self):
        shown = opsight_cli.run("report", self.profile, "--report", "critical_path", "--format", "csv").stdout
        rows = list(csv.DictReader(shown.splitlines()))
        self.assertEqual([int(row["Time (ns)"]) for row in rows],
                         [row["time_ns"] for row in self.ask()["critical_path"]])
        self.assertEqual(sum(int(row["Time (ns)"]) for row in rows), 6_000_000)

    def test_what_cannot_be_asked(self):
        for arguments, said in [(["--scale", "kernel:sgemm_129=0"], "sgemm_128"),
                                (["--scale", "kernel:~(=0"], "missing )"),
                                (["--scale", "sgemm"], "no target"),
                                (["--remove", "everything"], "dataloader, sync or communication"),
                                (["--clock", "0"], "--clock"),
                                (["--iteration", "1", "--iter-stop", "2"], "--iteration")]:
            done = opsight_cli.run("whatif", self.profile, *arguments, check=False)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)


CORPUS = opsight_cli.shared_folder("corpus", "kineto")


class Corpus(unittest.TestCase):
    """Real runs are replayed as they were measured; what cannot be is said."""

    def setUp(self):
        if not CORPUS:
            opsight_cli.say_skipped("what-ifs of real runs: no corpus (OPSIGHT_CORPUS)")
            self.skipTest("no corpus")

    def base(self, *path):
        profile = opsight_cli.Profile(os.path.join(CORPUS, *path)).path
        return json.loads(opsight_cli.run("whatif", profile, "--json").stdout)["whatif"]["base"]

    def test_runs_that_the_host_and_the_device_bind(self):
        for path in (("kineto", "kineto-tb", "resnet50_nw0_a__worker0.1623143089861.pt.trace.json.gz"),
                     ("kineto", "hta", "ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"),
                     ("nsys-sqlite", "nsys-ai__h100_2gpu_1s.sqlite")):
            with self.subTest(path[-1]):
                base = self.base(*path)
                self.assertIs(base["simulatable"], True)
                self.assertLess(base["error_pct"], 0.5)

    def test_work_that_begins_late_for_no_known_reason(self):
        base = self.base("kineto", "tracelens", "inference__vllm_decode_full__graph_execution.json.gz")
        self.assertIs(base["simulatable"], False)
        self.assertGreater(base["unexplained_pct"], 30)

    def test_tables_of_kernels_have_no_times(self):
        profile = opsight_cli.Profile(os.path.join(CORPUS, "ncu-csv", "nsightful__copy_blocked.csv")).path
        done = opsight_cli.run("whatif", profile, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("and not when", done.stderr)


if __name__ == "__main__":
    unittest.main()
