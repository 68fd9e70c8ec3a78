#!/usr/bin/env python3
"""`opsight report --style dlprof` against the plain Python of dlprof_reports.py, byte for byte: on a fabricated training
run with DLProf's marks and on the database that DLProf would have made of it, on nodes of TensorFlow, and on an export of
PyTorch's emit_nvtx from the corpus."""

import csv
import io
import os
import sqlite3
import sys
import tempfile
import unittest

import dlprof_export
import dlprof_reports
import fabricated_dlprof
import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "nsys-sqlite")
EMIT_NVTX = os.path.join(CORPUS or "", "nsys-sqlite", "nsys-ai__h100_2gpu_1s.sqlite")
DATABASE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "exports", "dlprof.sql")

class Reports:
    """The eight files of one run."""

    def __init__(self, path, *options):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "reports")  # made where it is not there
            done = opsight_cli.run("report", path, "--style", "dlprof", "--output", output, *options)
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

    def assert_same(self, made, wanted):
        self.assertEqual(list(made.files), list(wanted.all()))
        for name, text in wanted.all().items():
            self.assertEqual(made.files[name].split("\n"), text.split("\n"), name)

    def found(self, path, key_op="", start=0, stop=None):
        return dlprof_reports.Files(dlprof_export.Export(path, key_op), start, stop)

    def database(self, found):
        path = self.path("dlprof_dldb.sqlite")
        fabricated_dlprof.Database(path, found)
        return path

    def test_export_and_database_of_a_marked_run(self):
        for seed in (1, 2, 3):
            path = self.fabricated(seed=seed)
            found = self.found(path)
            self.assert_same(Reports(path), found)
            self.assert_same(Reports(self.database(found)), found)

    def test_export_and_database_by_key_op(self):
        for seed, steps in ((4, 6), (5, 2)):
            path = self.fabricated(seed=seed, steps=steps)
            found = self.found(path, "CROSS_ENTROPY_1")
            self.assertEqual(len(found.run.iterations), steps + 1)  # what comes after the last one is one, too
            self.assert_same(Reports(path, "--key-op", "CROSS_ENTROPY_1"), found)
            made = Reports(self.database(found))
            self.assert_same(made, found)
            self.assertNotIn("Unable", made.files["expert_systems"])

    def test_a_range_holds_its_iterations_only(self):
        path = self.fabricated(steps=6)
        for start, stop in ((0, 1), (2, 3), (6, 6)):
            found = self.found(path, "CROSS_ENTROPY_1", start, stop)
            options = ["--iter-start", str(start), "--iter-stop", str(stop)]
            self.assert_same(Reports(path, "--key-op", "CROSS_ENTROPY_1", *options), found)
            # A database has the range that it aggregates, and gives another one.
            self.assert_same(Reports(self.database(found)), found)
            database = self.database(self.found(path, "CROSS_ENTROPY_1"))
            self.assert_same(Reports(database, *options), found)
        for option in ("--iter-start=9", "--iter-start=-1"):
            refused = opsight_cli.run("report", path, "--style", "dlprof", option, check=False)
            self.assertEqual(refused.returncode, 2, refused.stderr)

    def test_the_id_of_any_call_names_the_key_op(self):
        path = self.fabricated(steps=4)
        by_first = Reports(path, "--key-op", "LINEAR_1")
        self.assertEqual(by_first.facts()["Total Iterations"], ["5"])
        # LINEAR_2 is the backward call, LINEAR_3 that of the second step.
        self.assertEqual(Reports(path, "--key-op", "LINEAR_3").files, by_first.files)
        name = "/module/Net::_call_impl/Net::forward/linear"
        self.assertEqual(Reports(path, "--key-op", name).files, by_first.files)

    def test_calls_of_one_function_have_lines_and_data_types_of_their_own(self):
        path = self.fabricated(steps=3)
        for source in (path, self.database(self.found(path))):
            made = Reports(source)
            name = "/module/Net::_call_impl/Net::forward/relu[2]"
            ops = {(row["Data Type"], row["Stack Trace"]) for row in made.rows("detailed")
                   if (row["Op Name"], row["Direction"]) == (name, "fprop")}
            self.assertEqual(ops, {("float32", 'train.py:10\nnet.py:46, "forward"'), ("float16", 'train.py:12\nnet.py:46, "forward"')})
            # The key op's calls have two types of data: all of them end iterations.
            key = [row["Op ID"] for row in made.rows("detailed") if row["Op Name"] == "/module/cross_entropy"][0]
            self.assertEqual(Reports(source, "--key-op", key).facts()["Total Iterations"], ["4"])

    def test_processes_of_one_machine(self):
        for tells in (True, False):
            path = self.fabricated(processes=2, tells=tells)
            found = self.found(path)
            self.assertEqual(found.ids, [0, 1, 2, 3])
            made = Reports(path)
            self.assert_same(made, found)
            self.assertIn("GPU device IDs are not being used: 2 3", made.files["expert_systems"])
            self.assertEqual({row["Device ID"] for row in made.rows("iteration")}, {"0", "1"})
            self.assert_same(Reports(self.database(found)), found)
        # Opsight's own figures are of the GPUs that the processes worked on.
        profile = self.path("run.opsight")
        opsight_cli.run("import", path, "--output", profile)
        devices = opsight_cli.run("sql", profile, "SELECT count(*) FROM devices", "--format", "csv").stdout.split()[-1]
        self.assertEqual(devices, "2")

    def test_what_a_database_rules_out_is_not_eligible(self):
        path = self.fabricated()
        self.assertIn("/fused_dense", Reports(path).files["tensor_core"])
        found = self.found(path)
        found.run.rule_out("fused_dense", "linear")
        made = Reports(self.database(found))
        self.assert_same(made, found)
        self.assertNotIn("/fused_dense", made.files["tensor_core"])
        ops = {(row["Op Type"], row["TC Eligible"], row["Using TC"]) for row in made.rows("detailed")}
        self.assertTrue({("fused_dense", "no", "yes"), ("linear", "no", "yes"), ("conv2d", "yes", "yes")} <= ops)

    def test_kernels_of_one_long_name_have_short_names_of_their_own(self):
        found = self.found(self.fabricated())
        long_name = next(w.kernel for w in found.run.work if w.tc)
        for w in found.run.work:
            if w.short == "relu":
                w.kernel = long_name  # as the wrong long names that DLProf shows, but recorded
        made = Reports(self.database(found))
        self.assert_same(made, found)
        self.assertEqual({row["Uses TC"] for row in made.rows("kernel") if row["Kernel Name"] == "relu"}, {"no"})

    def test_pseudo_ops_inside_calls_and_ops_are_ops(self):
        path = self.fabricated()
        found = self.found(path)
        found.run.add_inside()
        found = dlprof_reports.Files(found.run)
        made = Reports(self.database(found))
        self.assert_same(made, found)
        self.assertIn("CUCTXSYNCHRONIZE_4", made.files["detailed"])
        self.assertIn("CUDAEVENTQUERY_V3020_12", made.files["detailed"])

    def test_iterations_have_the_numbers_of_the_database(self):
        path = self.fabricated(steps=5)
        run = dlprof_export.Export(path, "CROSS_ENTROPY_1")
        database = self.database(dlprof_reports.Files(run, 1, 3, first=7))
        self.assert_same(Reports(database), dlprof_reports.Files(run, 1, 3, first=7))
        wanted = dlprof_reports.Files(run, 2, 4, first=7)
        self.assert_same(Reports(database, "--iter-start", "9", "--iter-stop", "11"), wanted)
        refused = opsight_cli.run("report", database, "--style", "dlprof", "--iter-start=2", check=False)
        self.assertIn("there is no iteration 2: DLProf's count goes from 7 to 12", refused.stderr)
        arguments = ["report", database, "--style", "dlprof", "--report", "summary", "--output", self.folder.name]
        done = opsight_cli.run(*arguments, "--iter-stop", "99")
        self.assertIn("note: there is no iteration 99: the range ends with 12, the last one", done.stderr)

    def test_a_lone_iteration_has_its_number(self):
        run = dlprof_export.Export(self.fabricated())
        found = dlprof_reports.Files(run, first=3)
        database = self.database(found)
        self.assert_same(Reports(database), found)
        refused = opsight_cli.run("report", database, "--style", "dlprof", "--iter-start=0", check=False)
        self.assertIn("there is no iteration 0: DLProf's count goes from 3 to 3", refused.stderr)

    def test_a_range_that_the_list_does_not_have_is_told(self):
        path = self.fabricated(steps=5)
        found = self.found(path, "CROSS_ENTROPY_1", 1, 2)
        database = self.database(found)
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE model_summary SET iter_stop = 40")
            connection.execute("UPDATE expert_systems_feedback SET problem = 'of another range'")
        connection.close()
        arguments = ["report", database, "--style", "dlprof", "--output", self.folder.name]
        done = opsight_cli.run(*arguments)
        self.assertIn("note: the database tells a range of iterations, 1 to 40, that its list of 0 to 5 does not have: all",
                      done.stderr)
        with open(self.path("dlprof_expert_systems.csv"), encoding="utf-8") as file:
            self.assertNotIn("of another range", file.read())
        with open(self.path("dlprof_summary.csv"), encoding="utf-8") as file:
            self.assertIn("Start Iteration,0\nStop Iteration,5\n", file.read())

    def test_settings_that_a_range_tells(self):
        for value in (True, False):
            path = self.fabricated(settings={"emit_nvtx": True, "cudnn_benchmark_disabled": value})
            made = Reports(path)
            self.assert_same(made, self.found(path))
            self.assertEqual("torch.backends.cudnn.benchmark" in made.files["expert_systems"], value)

    def test_a_database_cut_anew_is_judged_anew(self):
        path = self.fabricated(steps=5)
        database = self.database(self.found(path))
        self.assertIn("key op  not found", Reports(database).files["expert_systems"])
        made = Reports(database, "--key-op", "CROSS_ENTROPY_1")
        self.assertEqual(made.facts()["Total Iterations"], ["6"])
        self.assertNotIn("Unable", made.files["expert_systems"])

    def test_the_form_of_the_files(self):
        made = Reports(self.fabricated())
        detailed = made.files["detailed"].split("\n")
        self.assertEqual(detailed[0], "All Iterations")
        pseudo = next(line for line in detailed if line.startswith('"CUDADEVICESYNCHRONIZE_V3020_1"'))
        self.assertRegex(pseudo, r'^"CUDADEVICESYNCHRONIZE_V3020_1","unassociated_cudaDeviceSynchronize_v3020",,'
                                 r'"cudaDeviceSynchronize_v3020",1,no,no,(\d+),\1\.0,\1,\1,0,0\.0,0,0,.*,,""$')
        self.assertIn('"/module/lambda/cuda",fprop,"cuda",', made.files["detailed"])
        self.assertIn('"<N:8, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>","","<N:8, K:6, P:30, Q:30>"', made.files["iteration"])
        self.assertIn('"<SH:2, SW:1>; <PH:', made.files["iteration"])
        self.assertIn("\nGPU Name(s),Tesla T4, Tesla T4\nCPU Model,Intel(R) Xeon(R) CPU @ 2.30GHz\nGPU Driver Version,"
                      "515.43.04\nFramework,PyTorch 1.10.1+cu102\nCUDA Version,11.7\nNSys Version,2021.5.1\n",
                      made.files["summary"])
        self.assertIn("\nIteration Time Standard Deviation,0.0\n\nAll Ops\n,GPU Time (ns),CPU Time (ns),# Ops\nAll ops,",
                      made.files["summary"])
        self.assertEqual(made.facts()["Memory"][2], "2")  # cudaMemcpyAsync_v3020, cudaMemcpy_v3020
        for text in made.files.values():
            self.assertTrue(text.endswith("\n") and not text.endswith("\n\n") and "\r" not in text)

    @unittest.skipIf(not CORPUS, "no corpus")
    def test_emit_nvtx(self):
        writer = opsight_cli.run("--version").stdout.strip()
        found = dlprof_reports.Files(dlprof_export.Export(EMIT_NVTX, writer=writer))
        made = Reports(EMIT_NVTX)
        self.assert_same(made, found)
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
        self.assert_same(made, self.found(path))
        ops = {row["Op Name"]: row for row in made.rows("detailed")}
        self.assertEqual({name: (row["Direction"], row["Op Type"], row["TC Eligible"], row["Using TC"], row["No. Calls"])
                          for name, row in ops.items()}, {
            "model/conv/Conv2D": ("", "Conv2D", "yes", "yes", "3"),
            "model/dense/MatMul": ("", "MatMul", "yes", "yes", "3"),
            "model/dense/Relu": ("", "Relu", "no", "no", "3"),
            "gradients/model/dense/MatMul_grad/MatMul_1": ("", "MatMul", "yes", "yes", "3"),
            "train/AssignAdd": ("", "AssignAdd", "no", "no", "3"),
            "global_step": ("", "VariableV2", "no", "no", "3")})
        groups = [row["Name"] for row in made.rows("group_op")]
        self.assertEqual(groups, ["_CompleteModel_", "gradients/", "gradients/model/", "gradients/model/dense/",
                                  "gradients/model/dense/MatMul_grad/", "model/", "model/conv/", "model/dense/", "train/"])
        facts = made.facts()
        self.assertEqual((facts["Framework"], facts["Total Iterations"]), (["TensorFlow 1.15.5"], ["3"]))
        self.assertIn("No XLA ops detected", made.files["expert_systems"])
        # A whole node ends the iterations; a mode of another framework does not look for global_step.
        by_node = Reports(path, "--key-op", "gradients/model/dense/MatMul_grad/MatMul_1")
        self.assertEqual(by_node.facts()["Total Iterations"], ["4"])
        self.assertEqual(Reports(path, "--mode", "tensorflow2").facts()["Total Iterations"], ["1"])
        self.assertEqual(Reports(path, "--mode", "tensorflow1").files, made.files)

    def test_nodes_of_tensorflow_with_details_and_their_database(self):
        path = self.tensorflow(details=True)
        found = self.found(path)
        made = Reports(path)
        self.assert_same(made, found)
        for shapes in ('"<M:32, K:64>; <K:64, N:10>","","<M:32, N:10>"', '"<M:32, K:10>; <N:64, K:10>","","<M:32, N:64>"',
                       '"<32, 28, 28, 1>; <3, 3, 1, 6>","",""'):  # NHWC, filters R, S, C, K
            self.assertIn("float32," + shapes, made.files["iteration"])
        found.run.key_op = "global_step"
        self.assert_same(Reports(self.database(found)), found)

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
                         {"unassociated_cudaLaunchKernel_v7000", "unassociated_cudaMemcpyAsync_v3020",
                          "unassociated_cudaMemcpy_v3020", "unassociated_cudaDeviceSynchronize_v3020",
                          "unassociated_cudaFuncGetAttributes_v3020", "unassociated_cuMemHostAlloc_v2"})
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

    def test_a_small_database_by_hand(self):
        path = self.path("dlprof_dldb.sqlite")
        with open(DATABASE, encoding="utf-8") as script:
            connection = sqlite3.connect(path)
            connection.executescript(script.read())
            connection.close()
        made = Reports(path)
        first, second, copy = made.rows("detailed")
        # Kernels of 100 000 and 39 678 ns cover 130 846 ns; then a set of 1000, and 10 000 in the second instance.
        self.assertEqual([first[head] for head in ("Op ID", "Op Name", "Direction", "Op Type", "No. Calls")],
                         ["CONV2D_1", "/module/Net::_call_impl/Net::forward/conv2d", "fprop", "conv2d", "2"])
        self.assertEqual(first["Max GPU Time (ns)"], str(130846 + 1000))
        self.assertEqual(first["Total GPU Idle (ns)"], str(160000 - 150846))
        self.assertEqual((first["Total CPU Time (ns)"], first["Avg. CPU Time (ns)"]), ("300000", "150000.0"))
        # Of the calls 10 000 + 5000 of kernels, 1000 of a set, 3000 of a wait, 500 of another; then 10 000.
        self.assertEqual(first["Total CPU Overhead (ns)"], str(300000 - 29500))
        self.assertEqual((first["Data Type"], first["Stack Trace"]), ("float32", "train.py:3\nnet.py:7"))
        self.assertEqual((second["Op ID"], second["Direction"]), ("CONV2D_2", "bprop"))
        self.assertEqual([copy[head] for head in ("Op ID", "Op Name", "Op Type", "Direction", "Total GPU Time (ns)")],
                         ["CUDAMEMCPY_V3020_1", "unassociated_cudaMemcpy_v3020", "cudaMemcpy_v3020", "", "7000"])
        kernel = made.rows("kernel")[0]
        self.assertEqual(kernel["Total GPU Time (ns)"], str(100000 + 39678 + 10000))
        self.assertEqual([row["Iteration"] for row in made.rows("iteration")], ["0", "0", "1", "0"])
        shapes = "<N:1, C:3, H:32, W:32>; <K:6, C:3, R:3, S:3>"
        self.assertEqual([(row["Input Shapes"], row["Parameters"], row["Output Shapes"]) for row in made.rows("iteration")],
                         [(shapes, "<SH:1, SW:1>; <PH:0, PW:0>; <DH:1, DW:1>; <G:1>", "<N:1, K:6, P:30, Q:30>")] * 2 +
                         [(shapes, "", ""), ("", "", "")])
        facts = made.facts()
        self.assertEqual((facts["Wall Clock Time (ns)"], facts["Total Iterations"]), (["601000"], ["2"]))
        self.assertEqual(facts["Average Iteration Time (ns)"], ["300500.0"])
        self.assertEqual(facts["Memory"], ["8000", "11000", "2"])  # cudaMemcpy_v3020 and cudaMemsetAsync_v3020
        # The other GPU rests: 230 846 - 70 000 ns of kernels, of which 160 846 are covered.
        self.assertEqual(facts["GPU Utilization %"], [f"{100 * (130846 + 20000 + 10000) / 601000 / 2:.1f}"])
        self.assertEqual((facts["DLProf Version"], facts["CUDA Version"], facts["cuDNN Version"]), (["v1.8.0"], ["11.5"], ["8.3"]))
        self.assertEqual(made.rows("expert_systems"), [{"Problem": "2 ops were eligible", "Recommendation": "Try AMP"}])
        again = Reports(path, "--key-op", "CONV2D_2")
        self.assertEqual(again.facts()["Total Iterations"], ["2"])

    def test_a_database_and_its_export_import_alike(self):
        path = self.fabricated()
        sources = {"export": path, "database": self.database(self.found(path))}
        layers = {}
        for name, source in sources.items():
            profile = self.path(name + ".opsight")
            opsight_cli.run("import", source, "--output", profile)
            rows = opsight_cli.run("sql", profile, "SELECT DISTINCT path FROM raw.layers ORDER BY 1", "--format", "csv").stdout
            layers[name] = rows.splitlines()[1:]
            self.assertIn("PyTorch 1.10.1+cu102", opsight_cli.run("info", profile).stdout)
        self.assertEqual(layers["export"], ["Net", "Net/Conv2d", "Net/Conv2d(2)"])
        self.assertEqual(layers["database"], layers["export"])

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
