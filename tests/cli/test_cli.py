#!/usr/bin/env python3
"""The command line from outside: what it writes, refuses and says. Needs no corpus."""

import csv
import gzip
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

import opsight_cli
from tiny_trace import span, trace

REPORTS = ("summary", "detailed", "iteration", "kernel", "kernel_name", "tensor_core", "op_type", "group_op", "ranges",
           "roofline", "expected_vs_measured", "characterize", "api", "critical_path")
NOT_RECORDED = ("copies", "collectives", "unified_memory", "os_runtime", "file_access", "libraries", "messages", "counters",
                "memory_peak", "cpu_samples", "scheduling", "collective_calls", "collective_members", "groups", "ranks",
                "rank_iterations", "stragglers", "rank_layers", "rank_path", "clocks")
VIEWS = {
    "kernels": "begin_ns dur_ns name device stream op_id layer iteration direction uses_tc tc_evidence rank",
    "memcpys": "begin_ns dur_ns name device stream op_id layer iteration direction bytes rank",
    "memsets": "begin_ns dur_ns name device stream op_id layer iteration direction bytes rank",
    "api_calls": "begin_ns dur_ns name op_id layer direction iteration rank",
    "ops": "begin_ns dur_ns name op_id layer iteration direction rank",
    "op_stats": "op_id iteration rank",
    "layers": "id name path parent depth",
    "iterations": "begin_ns dur_ns name iteration rank",
    "devices": "name rank device",
    "ranks": "rank",
    "diagnostics": "key severity count help",
}


class Cli(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opsight-cli-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.trace = self.path("trace.json")
        with open(self.trace, "w", encoding="utf-8") as file:
            json.dump(trace(), file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_cli(self, *arguments, **options):
        return opsight_cli.run(*arguments, check=False, cwd=self.folder, **options)

    def made(self, *options):
        done = self.run_cli("import", self.trace, "-o", "a.opsight", "--force", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("a.opsight")

    def assert_refused(self, done, *words, code=1):
        self.assertIn(done.returncode, (1, 2) if code is None else (code,), done.stderr)
        self.assertTrue(done.stderr.startswith("opsight: "), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class HelpTest(Cli):
    def test_help_and_version(self):
        whole = self.run_cli("--help").stdout
        self.assertEqual(self.run_cli("help").stdout, whole)
        for command in ("import", "report", "compare", "view", "stats", "analyze", "info", "sql", "profile", "schema", "completion"):
            self.assertIn(f"\n  {command} ", whole)
            text = self.run_cli("help", command).stdout
            self.assertEqual(text, self.run_cli(command, "--help").stdout)
            self.assertIn(f"Usage: opsight {command}", text)
        self.assertRegex(self.run_cli("--version").stdout, r"^opsight \d+\.\d+\.\d+\n$")

    def test_wrong_use(self):
        self.assert_refused(self.run_cli("reprot"), "'report'", code=2)
        self.assert_refused(self.run_cli("help", "reprot"), "reprot", code=2)
        self.assert_refused(self.run_cli("import"), "TRACE", code=2)
        self.assert_refused(self.run_cli("import", self.trace, "--frobnicate"), "--frobnicate", code=2)
        self.assertEqual(self.run_cli().returncode, 2)

    def test_completions_are_sound_shell(self):
        for shell in ("bash", "zsh"):
            text = self.run_cli("completion", shell).stdout
            self.assertIn("--iter-start", text)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=text, text=True, check=True)
        script = self.run_cli("completion", "bash").stdout + (
            "\nCOMP_WORDS=(opsight rep) COMP_CWORD=1; _opsight; echo ${COMPREPLY[@]}")
        self.assertEqual(subprocess.run(["bash"], input=script, text=True, capture_output=True,
                                        check=True).stdout.strip(), "report")

    def completed_in_bash(self, *words):
        script = self.run_cli("completion", "bash").stdout + (
            f"\nCOMP_WORDS=(opsight {' '.join(words)}) COMP_CWORD={len(words)}; _opsight; echo ${{COMPREPLY[@]}}")
        return subprocess.run(["bash"], input=script, text=True, capture_output=True, check=True).stdout.split()

    def test_completions_know_reports_and_rules(self):
        self.assertEqual(self.completed_in_bash("report", "run", "--report", "tensor"), ["tensor_core"])
        self.assertEqual(self.completed_in_bash("report", "run", "--report", "summary,expert"), ["summary,expert_systems"])
        self.assertEqual(self.completed_in_bash("stats", "-r", "cuda_gpu_kern_s"), ["cuda_gpu_kern_sum"])
        self.assertEqual(self.completed_in_bash("analyze", "--rule", "gpu_g"), ["gpu_gaps"])

    def test_errors_for_scripts(self):
        done = self.run_cli("import", "missing.json", "--json")
        error = json.loads(done.stderr)
        self.assertEqual((done.returncode, error["exit_code"], error["file"]), (1, 1, "missing.json"))
        self.assertIn("no such file", error["error"])
        self.assertEqual(json.loads(self.run_cli("info", "missing", "--json").stderr)["file"], "missing")
        self.assertEqual(json.loads(self.run_cli("nothing", "--json-errors").stderr)["exit_code"], 2)


class ImportTest(Cli):
    def test_names_the_output_after_the_trace(self):
        with gzip.open(self.path("run.pt.trace.json.gz"), "wt") as file:
            json.dump(trace(), file)
        self.assertEqual(self.run_cli("import", "run.pt.trace.json.gz").returncode, 0)
        self.assertTrue(os.path.exists(self.path("run.opsight")))

    def test_one_line_of_result(self):
        done = self.run_cli("import", self.trace)
        self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
        self.assertIn("trace.opsight", done.stdout)

    def test_keeps_an_existing_output(self):
        with open(self.path("a.opsight"), "w", encoding="ascii") as file:
            file.write("mine")
        self.assert_refused(self.run_cli("import", self.trace, "-o", "a.opsight"), "a.opsight", "--force")
        with open(self.path("a.opsight"), encoding="ascii") as file:
            self.assertEqual(file.read(), "mine")
        self.assertEqual(opsight_cli.run("info", self.made(), "--json").returncode, 0)

    def test_a_failed_import_leaves_nothing(self):
        with open(self.path("bad.json"), "w", encoding="ascii") as file:
            file.write("{\"traceEvents\": 5}")
        self.assert_refused(self.run_cli("import", "bad.json", "-o", "a.opsight"), "bad.json", "traceEvents")
        self.assert_refused(self.run_cli("import", self.trace, "-o", "no/such/a.opsight"), "no/such")
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.json", "trace.json"])

    def test_a_full_disk_leaves_nothing(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        done = self.run_cli("import", self.trace, "-o", "a.opsight", preexec_fn=limit)
        self.assert_refused(done, "a.opsight")
        self.assertEqual(os.listdir(self.folder), ["trace.json"])

    def test_a_full_disk_keeps_the_old_profile(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        before = self.made()
        done = self.run_cli("import", self.trace, "-o", "a.opsight", "--force", preexec_fn=limit)
        self.assert_refused(done, "a.opsight")
        self.assertEqual(self.run_cli("info", before).returncode, 0)

    def test_two_ranks_of_the_same_number(self):
        for name in ("x.json", "y.json"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                json.dump(trace() | {"distributedInfo": {"rank": 3}}, file)
        self.assertEqual(self.run_cli("import", "x.json", "y.json", "-o", "a.opsight").returncode, 0)
        info = json.loads(self.run_cli("info", "a.opsight", "--json").stdout)
        self.assertEqual(len({rank["rank"] for rank in info["ranks"]}), 2)
        self.assertIn("rank_duplicate", {d["key"] for d in info["diagnostics"]})

    def test_a_damaged_file_stops_a_folder_and_says_what_to_do(self):
        os.mkdir(self.path("ranks"))
        shutil.copy(self.trace, self.path("ranks/rank0.json"))
        with open(self.path("ranks/rank1.json"), "w", encoding="ascii") as file:
            file.write('{"traceEvents": 5}')
        self.assert_refused(self.run_cli("import", "ranks", "-o", "a.opsight"), "rank1.json", "by name")

    def diagnostics(self, name):
        self.assertEqual(self.run_cli("import", name, "-o", "a.opsight", "--force").returncode, 0)
        found = json.loads(self.run_cli("info", "a.opsight", "--json").stdout)["diagnostics"]
        return {diagnostic["key"]: diagnostic["count"] for diagnostic in found}

    def test_a_cut_file_counts_as_one_cut(self):
        with open(self.trace, "rb") as file:
            text = file.read()
        for name, cut in (("cut.json", text[:-100]), ("cut.json.gz", gzip.compress(text)[:-40])):
            with open(self.path(name), "wb") as file:
                file.write(cut)
            self.assertEqual(self.diagnostics(name).get("truncated_input"), 1, name)

    def test_traces_of_other_profilers_are_named(self):
        viewer = {"traceEvents": [{"name": "dot.1", "ph": "X", "ts": 5, "dur": 9, "pid": 5, "tid": 6}],
                  "highres-ticks": True}
        with open(self.path("viewer.json"), "w", encoding="utf-8") as file:
            json.dump(viewer, file)
        self.assertEqual(self.diagnostics("viewer.json").get("foreign_trace"), 1)
        self.assertNotIn("foreign_trace", self.diagnostics("trace.json"))

    def test_odd_times_and_ids(self):
        events = trace()["traceEvents"]
        bad = [("ts", "NaN"), ("ts", 1e300), ("ts", None), ("dur", -5), ("dur", "x"), ("ts", -1e17)]
        text = json.dumps({"traceEvents": events + [span("cpu_op", f"odd{i}", 1, 50, 1) | {key: value}
                                                    for i, (key, value) in enumerate(bad)]})
        text = text.replace('"NaN"', "NaN")
        double = [span("kernel", "twice", 7, 500, 5, pid=0, device=0, stream=7, correlation=1)]
        text = text.replace("]}", "," + json.dumps(double)[1:-1] + "]}") if text.endswith("]}") else text
        with open(self.path("odd.json"), "w", encoding="utf-8") as file:
            file.write(text)
        self.assertEqual(self.run_cli("import", "odd.json", "-o", "a.opsight").returncode, 0)
        info = json.loads(self.run_cli("info", "a.opsight", "--json").stdout)
        counts = {d["key"]: d["count"] for d in info["diagnostics"]}
        self.assertGreaterEqual(counts.get("bad_time", 0) + counts.get("bad_event", 0), 4, counts)
        self.assertEqual(counts.get("negative_duration"), 1, counts)
        self.assertEqual(info["counts"]["kernels"], 9)


class InfoTest(Cli):
    def test_the_object_that_scripts_read(self):
        info = json.loads(self.run_cli("info", self.made(), "--json").stdout)
        self.assertEqual(info["producer"], "PyTorch Kineto")
        self.assertEqual(info["frameworks"], ["PyTorch"])
        self.assertEqual([rank["rank"] for rank in info["ranks"]], [0])
        (device,) = info["devices"]
        self.assertEqual((device["name"], device["compute_capability"], device["sm_count"], device["memory_bytes"]),
                         ("Tesla V100", "7.0", 80, 1 << 34))
        self.assertEqual(info["range"]["end_ns"] - info["range"]["begin_ns"], info["range"]["ns"])
        iterations = info["iterations"]
        self.assertEqual({key: iterations[key] for key in ("source", "total", "selected", "start", "stop")},
                         {"source": "step_marker", "total": 4, "selected": 4, "start": 0, "stop": 3})
        wanted = {"kernels": 8, "memcpys": 0, "memsets": 0, "api_calls": 8, "ops": 8, "annotations": 4,
                  "python_frames": 0, "unattributed_kernels": 0}
        self.assertEqual({key: info["counts"][key] for key in wanted}, wanted)
        for diagnostic in info["diagnostics"]:
            self.assertEqual(set(diagnostic), {"key", "severity", "count", "help"})

    def test_spans_of_unknown_kinds_have_a_duration(self):
        with open(self.path("plain.json"), "w", encoding="utf-8") as file:
            json.dump({"traceEvents": [{"ph": "X", "name": f"step {i}", "cat": "mine", "pid": 1, "tid": 1,
                                        "ts": 10 * i, "dur": 5} for i in range(1000)]}, file)
        made = self.run_cli("import", self.path("plain.json"), "-o", "plain.opsight")
        self.assertEqual(made.returncode, 0, made.stderr)
        info = json.loads(self.run_cli("info", self.path("plain.opsight"), "--json").stdout)
        self.assertEqual(info["range"]["ns"], 9995 * 1000)


class ReportTest(Cli):
    def report(self, *options):
        done = self.run_cli("report", self.profile, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def setUp(self):
        super().setUp()
        self.profile = self.made()

    def test_the_default_fits_100_columns_where_there_is_no_terminal(self):
        """Kernels by name alone, whatever op launched them; names that differ look different; CSV has all of them."""
        events = trace(8)
        begin, end = "void at::native::elementwise_kernel<" + 30 * "128, ", 40 * "float, " + "float>(int)"
        for number, event in enumerate(e for e in events["traceEvents"] if e["name"].startswith("relu_kernel")):
            event["name"] = begin + ("AddFunctor, " if number % 2 else "MulFunctor, ") + end
        with open(self.trace, "w", encoding="utf-8") as file:
            json.dump(events, file)
        profile = self.made()
        environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        text = self.run_cli("report", profile, env=environment).stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for title in ("Summary Report", "Op Type Summary", "Kernels by Name"):
            self.assertIn(title, text.splitlines())
        kernels = text[text.index("Kernels by Name"):]
        for words in ("AddFunctor", "MulFunctor"):
            self.assertEqual(kernels.count(words), 1, kernels)
        self.assertIn("rows go by time on the ", text)
        wide = self.run_cli("report", profile, "--wide", env=environment).stdout
        self.assertGreater(max(map(len, wide.splitlines())), 100)
        names = self.run_cli("report", profile, "--report", "kernel_name", "--format", "csv").stdout
        self.assertIn(begin + "AddFunctor, " + end, names)

    def test_columns_explained(self):
        shown = self.report("--report", "kernel_name", "--explain", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(shown)))
        self.assertEqual(rows[0]["Key"], "kernel_name")
        self.assertTrue(all(row["Meaning"] for row in rows))
        self.assertIn("share of the summed durations", {row["Key"]: row["Meaning"] for row in rows}["kernel_share_pct"])
        for name in REPORTS:
            for form in ("table", "csv", "json"):
                self.assertIn("Key" if form != "json" else "meaning", self.report("--report", name, "--explain", "--format", form))

    def test_every_report_in_every_format(self):
        self.assertEqual(set(json.loads(self.report("--report", "all", "--format", "json"))),
                         {"range", *REPORTS})
        for name in REPORTS:
            self.assertTrue(json.loads(self.report("--report", name, "--format", "json")))
            self.assertTrue(list(csv.reader(io.StringIO(self.report("--report", name, "--format", "csv")))))
            self.assertGreater(self.report("--report", name).count("\n"), 2)

    def test_what_was_not_recorded_is_said_when_asked_for(self):
        for name in NOT_RECORDED:
            self.assertIn("were recorded", self.report("--report", name))

    def test_known_numbers(self):
        with_tc = json.loads(self.report("--report", "kernel", "--format", "json", "--sort", "total_gpu_time_ns"))
        text = json.dumps(with_tc)
        self.assertIn(str(20_000 + 21_000 + 22_000 + 23_000), text)
        part = json.dumps(json.loads(self.report("--report", "kernel", "--format", "json", "--iter-start", "1",
                                                 "--iter-stop", "2")))
        self.assertIn(str(21_000 + 22_000), part)
        self.assertNotIn(str(86_000), part)

    def test_tables_fit_a_terminal(self):
        for columns in (80, 120, 200):
            environment = dict(os.environ, COLUMNS=str(columns))
            text = self.run_cli("report", self.profile, "--report", "all", env=environment).stdout
            tables = [line for line in text.splitlines() if not line.startswith("note: ")]
            longest = max(tables, key=len)
            self.assertLessEqual(len(longest), columns, longest)

    def test_a_terminal_may_be_of_any_width(self):
        for columns in range(1, 8):
            done = self.run_cli("report", self.profile, env=dict(os.environ, COLUMNS=str(columns)))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_key_op_of_one_rank_takes_no_other_rank_in(self):
        for rank in (0, 1):
            made = trace() | {"distributedInfo": {"rank": rank}}
            if rank == 0:
                made["traceEvents"] += [span("cpu_op", "only_here", 1, 100.0 * step + 90, 4) for step in range(4)]
            with open(self.path(f"r{rank}.json"), "w", encoding="utf-8") as file:
                json.dump(made, file)
        traces = ("r0.json", "r1.json")
        self.run_cli("import", *traces, "-o", "stored.opsight")
        self.run_cli("import", *traces, "-o", "fresh.opsight", "--key-op", "only_here")
        wanted = self.run_cli("report", "fresh.opsight", "--report", "all", "--json").stdout
        cut = self.run_cli("report", "stored.opsight", "--report", "all", "--json", "--key-op", "only_here").stdout
        for name in REPORTS:
            self.assertEqual(json.loads(cut)[name], json.loads(wanted)[name], name)

    def test_files(self):
        self.report("--report", "all", "--format", "csv", "--output", self.path("out"))
        files = os.listdir(self.path("out"))
        for name in REPORTS:
            self.assertTrue([file for file in files if file.startswith(name)], name)

    def test_files_that_are_there_are_kept(self):
        options = ("report", self.made(), "--report", "kernel", "--format", "csv", "--output", self.path("out"))
        self.assertEqual(self.run_cli(*options).returncode, 0)
        self.assert_refused(self.run_cli(*options), "kernel.csv", "--force")
        self.assertEqual(self.run_cli(*options, "--force").returncode, 0)

    def test_limit_and_sort(self):
        rows = list(csv.DictReader(io.StringIO(
            self.report("--report", "kernel", "--format", "csv", "--sort", "No. Calls:asc", "--limit", "1"))))
        self.assertEqual(len(rows), 1)
        self.assert_refused(self.run_cli("report", self.profile, "--report", "kernel", "--sort", "nonsense"),
                            "nonsense", "total_gpu_time_ns", code=2)

    def test_refusals(self):
        for options, words in ((("--iter-start", "9"), ("9", "0 to 3")),
                               (("--iter-start", "-3"), ("--iter-start", "0 or more")),
                               (("--frmat", "json"), ("--frmat json", "'--format'")),
                               (("--key-op", "nope"), ("nope",)),
                               (("--iteration-range", "("), ("--iteration-range",)),
                               (("--style", "dlprof", "--whole-run"), ("--style dlprof", "leave the others out")),
                               (("--style", "dlprof", "--merge-numbers"), ("--style dlprof",)),
                               (("--style", "dlprof", "--wide"), ("--style dlprof",)),
                               (("--report", "nope"), ("nope", "summary"))):
            self.assert_refused(self.run_cli("report", self.profile, *options), *words, code=None)
        self.assert_refused(self.run_cli("report", "missing.opsight"), "missing.opsight")

    def test_a_trace_is_asked_as_its_profile_is(self):
        for command, *options in (("report", "--json"), ("sql", "FROM iterations", "--json"), ("whatif", "--json"),
                                  ("export", "--format", "folded", "-o", "-")):
            of_trace = self.run_cli(command, self.trace, *options)
            self.assertEqual(of_trace.returncode, 0, of_trace.stderr)
            self.assertEqual(of_trace.stdout, self.run_cli(command, self.profile, *options).stdout, command)
        self.assertEqual(json.loads(self.run_cli("info", self.trace, "--json").stdout)["iterations"],
                         json.loads(self.run_cli("info", self.profile, "--json").stdout)["iterations"])
        self.assert_refused(self.run_cli("sql", self.trace, "SELECT nothing"), self.trace)
        for nothing in ("", " ; -- nothing"):
            empty = self.run_cli("sql", self.trace, nothing, "--json")
            self.assertEqual((empty.returncode, empty.stdout), (2, ""))
            self.assertIn("the statement is empty", empty.stderr)
        for command in ("report", "info", "advise"):
            self.assert_refused(self.run_cli(command, "/dev/null"), "/dev/null: is not a regular file")

    def test_iterations_that_are_named_are_not_missed(self):
        events = [span("user_annotation", f"batch {i}", 1, 100.0 * i, 90) for i in range(2)]
        events += [span("cpu_op", f"aten::op{i}", 1, 100.0 * i + 5, 50) for i in range(2)]
        with open(self.path("plain.json"), "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        self.assertIn("no_iterations", self.run_cli("report", "plain.json").stderr)
        for options in (("--iteration-range", "batch"), ("--key-op", "aten::op1"), ("--whole-run",)):
            for command in ("report", "advise"):
                done = self.run_cli(command, "plain.json", *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("no_iterations", done.stderr, (command, options))
                if "--whole-run" not in options:  # which finds none: the list of diagnostics says so
                    self.assertNotIn("no_iterations", done.stdout, (command, options))
            done = self.run_cli("compare", "plain.json", "plain.json", *options)
            self.assertNotIn("no_iterations", done.stdout + done.stderr, ("compare", options))

    def test_a_cut_or_damaged_profile(self):
        with open(self.profile, "rb") as file:
            content = file.read()
        for name, damaged in (("cut", content[:len(content) // 2]), ("empty", b""),
                              ("junk", content[:8192] + os.urandom(len(content) - 8192))):
            with open(self.path(name), "wb") as file:
                file.write(damaged)
            for command in ("report", "info"):
                self.assert_refused(self.run_cli(command, name), name)

    def test_a_reader_that_goes_away(self):
        done = subprocess.run(f"'{opsight_cli.PROGRAM}' report '{self.profile}' --report all | head -1",
                              shell=True, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")


class SqlTest(Cli):
    def test_views_and_their_columns(self):
        profile = self.made()
        for view, columns in VIEWS.items():
            done = self.run_cli("sql", profile, f"SELECT {', '.join(columns.split())} FROM {view}")
            self.assertEqual(done.returncode, 0, view + ": " + done.stderr)

    def test_json_is_a_format(self):
        profile = self.made()
        query = "SELECT count(*) AS n FROM kernels"
        self.assertEqual(json.loads(self.run_cli("sql", profile, query, "--json").stdout), [{"n": 8}])
        twice = self.run_cli("sql", profile, "SELECT 1 AS a, 2 AS a, 3 AS a_2", "--json")
        self.assertEqual(json.loads(twice.stdout), [{"a": 1, "a_2": 2, "a_2_2": 3}])
        self.assertEqual(self.run_cli("report", profile, "--json").stdout,
                         self.run_cli("report", profile, "--format", "json").stdout)

    def test_formats(self):
        profile = self.made()
        query = "SELECT name, sum(dur_ns)::BIGINT AS ns FROM kernels GROUP BY name ORDER BY ns DESC"
        self.assertEqual(json.loads(self.run_cli("sql", profile, query, "--format", "json").stdout)[0]["ns"], 86_000)
        self.assertEqual(self.run_cli("sql", profile, query, "--format", "csv").stdout.splitlines()[0], "name,ns")
        self.assertIn("86000", self.run_cli("sql", profile, query).stdout.replace(",", ""))

    def test_statements_of_standard_input_are_answered_as_they_come(self):
        talk = opsight_cli.Conversation(self.made())
        for number in (1, 2):
            self.assertEqual(talk.ask(f"SELECT {number} AS n, ';' AS t"), [{"n": number, "t": ";"}])
        rest = "CREATE TEMP TABLE t AS SELECT 7 AS n; ; FROM t -- the last one needs no semicolon"
        *_, last, empty = talk.process.communicate(rest)[0].split("\n\n")
        self.assertEqual((json.loads(last), empty, talk.process.returncode), ([{"n": 7}], "", 0))

    def test_the_first_statement_that_fails_ends_a_script(self):
        done = self.run_cli("sql", self.made(), "--format", "csv", input="SELECT 1 AS a;\nnonsense;\nSELECT 3;")
        self.assertEqual((done.returncode, done.stdout), (1, "a\n1\n\n"))
        self.assertIn("statement 2", done.stderr)

    def test_millions_of_rows_need_no_memory(self):
        query = "SELECT range AS a, 'text ' || range AS b, range AS c, range AS d FROM range(2000000)"
        for form in ("csv", "json"):
            with open(os.devnull, "wb") as nowhere:
                with subprocess.Popen([opsight_cli.PROGRAM, "sql", self.made(), query, "--format", form],
                                      stdout=nowhere) as running:
                    _, status, used = os.wait4(running.pid, 0)
                    running.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(running.returncode, 0)
            self.assertLess(used.ru_maxrss, 300_000, form)  # kB; kept as a whole it is above 500 MB

    def test_the_profile_and_the_machine_are_safe(self):
        profile = self.made()
        with open(profile, "rb") as file:
            before = file.read()
        for query in ("DROP VIEW kernels", "CREATE TABLE x (i INT)", "COPY (SELECT 1) TO 'x.csv'",
                      "SELECT * FROM read_csv('/etc/passwd')", "INSTALL httpfs", "SELECT", "nonsense"):
            self.assertNotEqual(self.run_cli("sql", profile, query).returncode, 0, query)
        with open(profile, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.opsight", "trace.json"])


if __name__ == "__main__":
    unittest.main()
