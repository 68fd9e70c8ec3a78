#!/usr/bin/env python3
"""`opsight report --style dlprof` against the plain Python of dlprof_reports.py, row by row: on a fabricated training
run with DLProf's marks, on an export of PyTorch's emit_nvtx from the corpus, and on a database of DLProf."""

import csv
import io
import os
import sqlite3
import sys
import tempfile
import unittest

import dlprof_reports
import fabricated_dlprof
import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "nsys-sqlite")
EMIT_NVTX = os.path.join(CORPUS or "", "nsys-sqlite", "nsys-ai__h100_2gpu_1s.sqlite")
DATABASE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "exports", "dlprof.sql")

SIXTEEN = ",".join(dlprof_reports.TIMES)
FIRST_LINES = {
    "detailed": "All Iterations\nOp ID,Op Name,Direction,Op Type,No. Calls,TC Eligible,Using TC," + SIXTEEN +
                ",Data Type,Stack Trace\n",
    "iteration": "Iteration Report\nIteration,Op ID,Op Name,Direction,Op Type,Kernel Name,Device ID,"
                 "GPU Start Time (ns),GPU Duration (ns),API Call Start (ns),API Call Time (ns),Uses TC,Grid X,Grid Y,"
                 "Grid Z,Block X,Block Y,Block Z,Data Types,Input Shapes,Parameters,Output Shapes,Long Kernel Name\n",
    "kernel": "Kernel Report\nKernel Name,Op ID,Op Name,Direction,Uses TC,Total GPU Time (ns),Avg GPU Time (ns),"
              "Min GPU Time (ns),Max GPU Time (ns),Total API Time (ns),Avg API Time (ns),Min API Time (ns),"
              "Max API Time (ns)\n",
    "tensor_core": "Tensor Core Report\nOp ID,Op Name,Direction,Op Type,Uses TC,Total GPU Time (ns),TC GPU Time (ns),"
                   "Non-TC GPU Time (ns),TC Utilization (%),Total Kernel Count,TC Kernel Count,TC Kernel Names,"
                   "Non-TC Kernel Count,Non-TC Kernel Names\n",
    "op_type": "Op Type Summary Report\nOp Type,# Ops,# Calls," + SIXTEEN + "\n",
    "group_op": "Group Op Report\nName,Num Calls Aggregated,Num TC Eligible Ops,Num Ops Using TC," + SIXTEEN + "\n",
    "expert_systems": "Expert Systems Feedback\nProblem,Recommendation\n",
    "summary": "System Config\nGPU Count,",
}


class Reports:
    """The eight files of one run."""

    def __init__(self, path, *options):
        with tempfile.TemporaryDirectory() as folder:
            done = opsight_cli.run("report", path, "--style", "dlprof", "--output", folder, *options)
            self.files = {}
            for line in done.stdout.splitlines():
                name = os.path.basename(line).removesuffix(".csv").removeprefix("dlprof_")
                with open(line, encoding="utf-8", newline="") as file:
                    self.files[name] = file.read()

    def rows(self, name):
        return list(csv.DictReader(io.StringIO(self.files[name].split("\n", 1)[1])))

    def facts(self):
        return {row[0]: row[1:] for row in csv.reader(io.StringIO(self.files["summary"])) if len(row) > 1}


class Dlprof(unittest.TestCase):
    maxDiff = 3000

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def fabricated(self, **options):
        path = self.path("run.sqlite")
        fabricated_dlprof.write(path, **options)
        return path

    def assert_all_same(self, path, key_op=None):
        made = Reports(path, *(["--key-op", key_op] if key_op else []))
        wanted = dlprof_reports.Export(path, key_op)
        for name in ("detailed", "iteration", "kernel", "tensor_core", "op_type", "group_op"):
            rows = [{head: str(value) for head, value in row.items()} for row in getattr(wanted, name)()]
            self.assertEqual(sorted(made.rows(name), key=str), sorted(rows, key=str), name)
            self.assertGreater(len(rows), 0, name)
        facts = made.facts()
        for name, value in wanted.summary().items():
            if isinstance(value, list):
                self.assertEqual(facts[name], [str(part) for part in value], name)
            elif isinstance(value, float):
                self.assertAlmostEqual(float(facts[name][0]), value, delta=0.0501, msg=name)
            else:
                self.assertEqual(facts[name], [str(value)], name)
        shares = [float(facts[f"{name} Duration %"][0]) for name in (
            "Tensor Core Kernel", "Non-Tensor Core Kernel", "Memory", "Dataloader", "IO", "CPU", "Other")]
        self.assertAlmostEqual(sum(shares), 100, delta=0.36)
        return made

    def test_first_lines_are_those_of_dlprof(self):
        made = Reports(self.fabricated())
        self.assertEqual(list(made.files), ["summary", "detailed", "iteration", "kernel", "tensor_core", "op_type",
                                            "group_op", "expert_systems"])
        for name, lines in FIRST_LINES.items():
            self.assertTrue(made.files[name].startswith(lines), f"{name}: {made.files[name][:900]}")
            self.assertTrue(made.files[name].endswith("\n"))

    def test_marked_run(self):
        for seed in (1, 2, 3):
            made = self.assert_all_same(self.fabricated(seed=seed))
            problems = [row["Problem"] for row in made.rows("expert_systems")]
            self.assertEqual(problems, [
                "Unable to split profile into training iterations: no key op was given",
                "The following GPU device IDs are not being used: 1",
                "6 ops were eligible to use tensor cores but none are using FP16"])
            sizes = {row["Output Shapes"] for row in made.rows("iteration") if row["Op Type"] == "conv2d"}
            self.assertEqual(sizes, {"<N:8, K:6, P:15, Q:30>", "<N:8, K:6, P:16, Q:32>"})

    def test_marked_run_by_key_op(self):
        path = self.fabricated(steps=6)
        made = self.assert_all_same(path, "CROSS_ENTROPY_1")
        self.assertEqual(made.facts()["Total Iterations"], ["7"])  # what comes after the last one is one, too
        self.assertNotIn("Unable", made.files["expert_systems"])

    def test_a_range_holds_its_iterations_only(self):
        path = self.fabricated(steps=6)
        every = Reports(path, "--key-op", "CROSS_ENTROPY_1").rows("iteration")
        made = Reports(path, "--key-op", "CROSS_ENTROPY_1", "--iter-start", "2", "--iter-stop", "3")
        self.assertEqual(made.rows("iteration"), [row for row in every if row["Iteration"] in "23"])
        self.assertEqual(made.facts()["Aggregated Iterations"], ["2"])
        ops = [row for row in made.rows("detailed") if not row["Op Name"].startswith("unassociated")]
        self.assertEqual((len(ops), {row["No. Calls"] for row in ops}), (13, {"2"}))
        refused = opsight_cli.run("report", path, "--style", "dlprof", "--iter-start", "9", check=False)
        self.assertEqual(refused.returncode, 2)

    @unittest.skipIf(not CORPUS, "no corpus")
    def test_emit_nvtx(self):
        made = self.assert_all_same(EMIT_NVTX)
        facts = made.facts()
        self.assertEqual((facts["GPU Count"], facts["CUDA Version"]), (["2"], ["13.0"]))
        self.assertNotIn("cuDNN Version", facts)

    def tensorflow(self, **options):
        path = self.path("tensorflow.sqlite")
        fabricated_dlprof.write_tensorflow(path, **options)
        return path

    def test_nodes_of_tensorflow(self):
        path = self.tensorflow()
        made = Reports(path)
        ops = {row["Op Name"]: row for row in made.rows("detailed")}
        self.assertEqual(list(ops), sorted(ops, key=lambda name: -int(ops[name]["Total GPU Time (ns)"])))
        self.assertEqual({name: (row["Direction"], row["Op Type"], row["TC Eligible"], row["Using TC"], row["No. Calls"])
                          for name, row in ops.items()}, {
            "model/dense/MatMul": ("fprop", "MatMul", "yes", "yes", "3"),
            "model/dense/Relu": ("fprop", "Relu", "no", "no", "3"),
            "gradients/model/dense/MatMul_grad/MatMul_1": ("bprop", "MatMul", "yes", "yes", "3"),
            "train/AssignAdd": ("fprop", "AssignAdd", "no", "no", "3"),
            "global_step": ("fprop", "VariableV2", "no", "no", "3")})
        groups = [row["Name"] for row in made.rows("group_op")]
        self.assertEqual(groups, ["/", "/gradients/", "/gradients/model/", "/gradients/model/dense/",
                                  "/gradients/model/dense/MatMul_grad/", "/model/", "/model/dense/", "/train/"])
        facts = made.facts()
        self.assertEqual((facts["Framework"], facts["Total Iterations"]), (["TensorFlow"], ["3"]))
        self.assertIn("No XLA ops detected", made.files["expert_systems"])
        # A whole node ends the iterations; a mode of another framework does not look for global_step.
        by_node = Reports(path, "--key-op", "gradients/model/dense/MatMul_grad/MatMul_1")
        self.assertEqual(by_node.facts()["Total Iterations"], ["4"])
        self.assertEqual(Reports(path, "--mode", "tensorflow2").facts()["Total Iterations"], ["1"])
        self.assertEqual(Reports(path, "--mode", "tensorflow1").files, made.files)

    def test_iterations_of_a_profile_by_a_whole_node(self):
        profile = self.path("run.opsight")
        count = lambda: opsight_cli.run("sql", profile, "SELECT count(*) FROM iterations", "--format", "csv").stdout.split()[-1]
        for key_op, wanted in (("train/AssignAdd", "3"), ("MatMul", "6"), ("model/dense", "0")):
            opsight_cli.run("import", self.tensorflow(), "--output", profile, "--force", "--key-op", key_op)
            self.assertEqual(count(), wanted, key_op)
        made = opsight_cli.run("report", profile, "--report", "iteration", "--format", "json", "--key-op", "model/dense/Relu",
                               "--all-iterations")
        self.assertIn('"description":"3 x model/dense/Relu"', made.stdout)
        refused = opsight_cli.run("report", profile, "--key-op", "model/dense", check=False)
        self.assertIn("no op or range is named 'model/dense'", refused.stderr)

    def test_a_key_op_that_is_not_there_is_told(self):
        done = opsight_cli.run("report", self.tensorflow(), "--style", "dlprof", "--key-op", "nothing",
                               "--output", self.folder.name)
        self.assertIn("note: no op has the id or name 'nothing'", done.stderr)
        with open(self.path("dlprof_expert_systems.csv"), encoding="utf-8") as file:
            self.assertIn("key op nothing not found", file.read())

    def test_mode_simple_has_no_ops(self):
        path = self.fabricated()
        made, all_ops = Reports(path, "--mode", "simple"), Reports(path)
        self.assertEqual({row["Op Name"] for row in made.rows("detailed")},
                         {"unassociated_cudaLaunchKernel", "unassociated_cudaMemcpyAsync",
                          "unassociated_cudaDeviceSynchronize"})
        self.assertEqual(made.facts()["All kernels"], all_ops.facts()["All kernels"])
        self.assertEqual(opsight_cli.run("report", path, "--style", "dlprof", "--mode", "mxnet", check=False).returncode, 2)

    def test_domains_have_files_of_their_own(self):
        path = self.tensorflow()
        done = opsight_cli.run("report", path, "--style", "dlprof", "--output", self.folder.name, "--report", "detailed",
                               "--domains", "my/app,tensorflow-core")
        names = [os.path.basename(line) for line in done.stdout.splitlines()]
        self.assertEqual(names, ["dlprof_my_app_detailed.csv", "dlprof_tensorflow-core_detailed.csv"])
        with open(self.path(names[0]), encoding="utf-8") as file:
            rows = list(csv.DictReader(file.read().splitlines()[1:]))
        self.assertEqual([(row["Op ID"], row["Op Name"], row["Op Type"], row["No. Calls"]) for row in rows],
                         [("PHASE_1", "train/step", "phase", "3")])
        with open(self.path(names[1]), encoding="utf-8") as file, open(self.path("all.csv"), "w") as copy:
            copy.write(Reports(path).files["detailed"])
            file.seek(0)
            text = file.read()
        with open(self.path("all.csv"), encoding="utf-8") as file:
            self.assertEqual(text, file.read())
        wrong = opsight_cli.run("report", path, "--style", "dlprof", "--domains", "other", check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("my/app, tensorflow-core", wrong.stderr)

    def test_database_of_dlprof(self):
        path = self.path("dlprof_dldb.sqlite")
        with open(DATABASE, encoding="utf-8") as script:
            connection = sqlite3.connect(path)
            connection.executescript(script.read())
            connection.close()
        made = Reports(path)
        first, second, copy = made.rows("detailed")
        # Kernels of 100 000 and 39 678 ns cover 130 846 ns; then a set of 1000, and 10 000 in the second instance.
        self.assertEqual([first[head] for head in ("Op ID", "Op Name", "Direction", "Op Type", "No. Calls")],
                         ["CONV2D_1", "/Net::_call_impl/Net::forward/conv2d", "fprop", "conv2d", "2"])
        self.assertEqual(first["Max GPU Time (ns)"], str(130846 + 1000))
        self.assertEqual(first["Total GPU Idle (ns)"], str(160000 - 150846))
        self.assertEqual(first["Total CPU Time (ns)"], "300000")
        # Of the calls 10 000 + 5000 of kernels, 1000 of a set, 3000 of a wait, 500 of another; then 10 000.
        self.assertEqual(first["Total CPU Overhead (ns)"], str(300000 - 29500))
        self.assertEqual((first["Data Type"], first["Stack Trace"]), ("float32", "net.py:7"))
        self.assertEqual((second["Op ID"], second["Direction"]), ("CONV2D_2", "bprop"))
        self.assertEqual((copy["Op Name"], copy["Total GPU Time (ns)"]), ("unassociated_cudaMemcpy", "7000"))
        kernel = made.rows("kernel")[0]
        self.assertEqual(kernel["Total GPU Time (ns)"], str(100000 + 39678 + 10000))
        self.assertEqual([row["Iteration"] for row in made.rows("iteration")], ["0", "0", "0", "1"])
        self.assertEqual([(row["Input Shapes"], row["Parameters"], row["Output Shapes"]) for row in made.rows("iteration")],
                         [("<N:1, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>", "<U:1, V:1>", "<N:1, K:6, P:30, Q:30>")] * 2 +
                         [("", "", ""), ("<N:1, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>", "", "")])
        self.assertEqual(made.facts()["DLProf Version"], ["v1.8.0"])
        self.assertEqual((made.facts()["CUDA Version"], made.facts()["cuDNN Version"]), (["11.5"], ["8.3"]))
        self.assertEqual(made.rows("expert_systems"), [{"Problem": "2 ops were eligible", "Recommendation": "Try AMP"}])
        again = Reports(path, "--key-op", "CONV2D_2")
        self.assertEqual(again.facts()["Total Iterations"], ["2"])

    def test_options_that_mean_nothing_are_refused(self):
        path = self.fabricated()
        for options in (["--sort", "calls"], ["--format", "json"], ["--report", "ops"], ["--profile_name", "a/b"]):
            done = opsight_cli.run("report", path, "--style", "dlprof", *options, check=False)
            self.assertEqual(done.returncode, 2, options)
        done = opsight_cli.run("report", path, "--style", "dlprof", "--report", "kernel", "--profile_name", "x",
                               "--output", self.folder.name)
        self.assertEqual(done.stdout, self.path("x_kernel.csv") + "\n")

    def test_existing_files_are_kept(self):
        arguments = ["report", self.fabricated(), "--style", "dlprof", "--output", self.folder.name]
        opsight_cli.run(*arguments, "--report", "kernel")
        self.assertEqual(opsight_cli.run(*arguments, check=False).returncode, 1)
        self.assertFalse(os.path.exists(self.path("dlprof_summary.csv")))
        opsight_cli.run(*arguments, "--force")


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("the export of emit_nvtx: set OPSIGHT_CORPUS")
    sys.exit(unittest.main())
