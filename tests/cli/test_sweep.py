#!/usr/bin/env python3
"""`opsight sweep`: live on a tiny program, with a point that fails, after a kill, from files that are there, and what is refused."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import opsight_cli
import tiny_trace

# Every step: a product that grows with the square of --size, and an optimizer step. Size 3 asks for too much memory.
PROGRAM = """
import sys, torch
size, steps = int(sys.argv[1]), int(sys.argv[2])
if size == 3:
    torch.empty(1 << 60)
weight = torch.nn.Parameter(torch.ones(size, 16))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(steps):
    (weight @ weight.t()).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def trace_file(folder, name, scale):
    """Iterations whose kernels take `scale` times as long."""
    trace = tiny_trace.trace(steps=5)
    for event in trace["traceEvents"]:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = event[key] * scale
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    return path


class SweepTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.program = os.path.join(self.folder, "program.py")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)

    def sweep(self, *arguments, code=0):
        done = opsight_cli.run("sweep", *arguments, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def lines(self, folder):
        with open(os.path.join(folder, "runs.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_live_with_a_point_that_fails_and_resumed_after_a_kill(self):
        folder = os.path.join(self.folder, "s")
        command = ["--vary", "size=2,3,64", "--repeat", "1", "-o", folder, "--json", "--", sys.executable, self.program,
                   "{size}", "8"]
        with subprocess.Popen([opsight_cli.PROGRAM, "sweep", *command], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as first:
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:  # until one run is there
                if os.path.exists(os.path.join(folder, "runs.jsonl")) and self.lines(folder):
                    break
                time.sleep(0.05)
            first.send_signal(signal.SIGKILL)
        done_before = self.lines(folder)
        self.assertIn(len(done_before), range(1, 6))
        # Half a line, as a machine that goes down leaves it.
        with open(os.path.join(folder, "runs.jsonl"), "a", encoding="utf-8") as file:
            file.write('{"point":"size=')
        answer = self.sweep(*command)
        self.assertIn(f"{len(done_before)} are there already", answer.stderr)
        report = json.loads(answer.stdout)
        points = {row["size"]: row for row in report["points"]}
        self.assertEqual(points["3"]["runs"], 0)
        self.assertEqual(points["3"]["failed"], 2)
        self.assertIn("out of memory", points["3"]["failure"])
        self.assertIsNone(points["3"]["latency_ns"])
        for size in ("2", "64"):
            self.assertEqual(points[size]["runs"], 1)
            self.assertGreater(points[size]["latency_ns"], 0)
            self.assertGreater(points[size]["rss_bytes"], 1e7)
        self.assertTrue(any("measured once" in note for note in report["notes"]), report["notes"])
        self.assertTrue(any(row["name"].startswith("aten::mm") for row in report["ops"]))
        # Counted products grow with the square of the size.
        growth = {row["op"]: row for row in report["growth"] if row["kind"] == "op type"}
        self.assertAlmostEqual(growth["aten::mm"]["flops_exponent"], 2, delta=0.3)
        # Nothing is run again, and failures are kept.
        again = self.sweep(*command)
        self.assertIn("opsight: 0 runs of 3 points", again.stderr)
        shown = json.loads(self.sweep(folder, "--json").stdout)
        self.assertEqual(shown["points"], report["points"])

    def test_ctrl_c_keeps_what_is_done(self):
        folder = os.path.join(self.folder, "s")
        sleeper = os.path.join(self.folder, "sleep.sh")
        with open(sleeper, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho $$ > \"$1\"\nexec sleep 100\n")
        os.chmod(sleeper, stat.S_IRWXU)
        started = os.path.join(self.folder, "pid")
        with subprocess.Popen([opsight_cli.PROGRAM, "sweep", "--vary", "a=1,2", "-o", folder, "--", sleeper, started,
                               "{a}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not (os.path.exists(started) and os.path.getsize(started)):
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 128 + signal.SIGINT, said)
        self.assertIn("The same command goes on", said)
        with open(started, encoding="utf-8") as file:
            pid = int(file.read())
        with self.assertRaises(ProcessLookupError):  # the program is gone too
            os.kill(pid, 0)
        self.assertEqual(self.lines(folder), [])

    def test_a_signal_that_is_ignored_stops_nothing(self):
        go, started = os.path.join(self.folder, "go"), os.path.join(self.folder, "started")
        waits = f"touch {started}; while ! test -e {go}; do sleep 0.05; done; echo {{a}}"
        with subprocess.Popen([opsight_cli.PROGRAM, "sweep", "--vary", "a=1", "--repeat", "1", "-o",
                               os.path.join(self.folder, "s"), "--", "sh", "-c", waits], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as running:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and not os.path.exists(started):
                time.sleep(0.05)
            running.send_signal(signal.SIGHUP)
            time.sleep(0.5)  # it looks five times a second
            with open(go, "w", encoding="utf-8"):
                pass
            _, said = running.communicate(timeout=60)
        self.assertNotIn("The same command goes on", said)
        self.assertNotEqual(running.returncode, 128 + signal.SIGHUP, said)

    def test_timeouts_and_exit_codes_are_points(self):
        folder = os.path.join(self.folder, "s")
        done = self.sweep("--vary", "a=0,7,60", "--repeat", "1", "--timeout", "2", "-o", folder, "--json", "--", "sh", "-c",
                          "test {a} = 60 && exec sleep 60; echo said {a}; exit {a}")
        points = {row["a"]: row for row in json.loads(done.stdout)["points"]}
        self.assertIn("took longer than 2 s", points["60"]["failure"])
        self.assertIn("exit code 7: said 7", points["7"]["failure"])
        self.assertEqual(points["0"]["failed"], 1)  # ran well, and nothing was recorded

    def test_what_opsight_says_is_not_the_programs_reason(self):
        done = self.sweep("--vary", "a=3", "--repeat", "1", "-o", os.path.join(self.folder, "s"), "--json", "--",
                          sys.executable, "-c", "import sys, torch; torch.ones(3).sum(); sys.exit({a})")
        (point,) = json.loads(done.stdout)["points"]
        self.assertEqual(point["failure"], "exit code 3")

    def test_a_command_that_never_ran_holds_no_folder(self):
        folder = os.path.join(self.folder, "s")
        for command, code in (["no-such-command", "{a}"], 127), (["sh", "-c", "exit {a}"], 0):
            self.sweep("--vary", "a=0,7", "--repeat", "1", "-o", folder, "--", *command, code=code)
        done = self.sweep("--vary", "a=0,7", "--repeat", "1", "-o", folder, "--", "true", "{a}", code=1)
        self.assertIn("holds a sweep of another command", done.stderr)

    def test_files_that_changed_are_read_again(self):
        kept = os.path.join(self.folder, "kept")
        arguments = ["--vary", "batch=1,2,4", "--from", os.path.join(self.folder, "b{batch}.json"), "-o", kept, "--json"]
        for scale in (1, 2):
            trace_file(self.folder, f"b{scale}.json", scale)
        first = {row["batch"]: row for row in json.loads(self.sweep(*arguments).stdout)["points"]}
        self.assertIn("b4.json", first["4"]["failure"])
        time.sleep(0.02)  # later by the clock of any file system
        for scale in (2, 4):
            trace_file(self.folder, f"b{scale}.json", 2 * scale)
        again = self.sweep(*arguments)
        points = {row["batch"]: row for row in json.loads(again.stdout)["points"]}
        self.assertEqual(points["1"]["latency_ns"], first["1"]["latency_ns"])
        for batch, scale in ("2", 4), ("4", 8):
            self.assertAlmostEqual(points[batch]["latency_ns"] / points["1"]["latency_ns"], scale, places=3)
        self.assertNotIn("b1.json", again.stderr)

    def test_from_files_that_are_there(self):
        for scale in (1, 2, 4, 8):
            trace_file(self.folder, f"b{scale}.json", scale)
        pattern = os.path.join(self.folder, "b{batch}.json")
        done = self.sweep("--vary", "batch=1,2,4,8,16", "--from", pattern, "--json")
        report = json.loads(done.stdout)
        points = {row["batch"]: row for row in report["points"]}
        self.assertIn("b16.json", points["16"]["failure"])
        for scale in (2, 4, 8):
            self.assertAlmostEqual(points[str(scale)]["latency_ns"] / points["1"]["latency_ns"], scale, places=3)
        # In proportion to the batch: no baseline, exponent 1.
        (fit,) = report["fit"]
        self.assertAlmostEqual(fit["baseline_ns"] / points["1"]["latency_ns"], 0, places=3)
        for row in report["growth"]:
            self.assertAlmostEqual(row["exponent"], 1, places=2)
        for form, begin in (("svg", "<svg"), ("html", "<!doctype html"), ("markdown", "## Sweep"), ("csv", "sweep\n")):
            text = self.sweep("--vary", "batch=1,2,4,8", "--from", pattern, "--format", form).stdout
            self.assertTrue(text.lower().startswith(begin.lower()), text[:80])
        self.assertNotIn("nan", self.sweep("--vary", "batch=1,2,4,8", "--from", pattern, "--format", "svg").stdout)
        kept = os.path.join(self.folder, "kept")
        self.sweep("--vary", "batch=1,2,4,8", "--from", pattern, "-o", kept)
        same = json.loads(self.sweep("--compare", kept, kept, "--json").stdout)
        self.assertIn("1.000 times", same["notes"][0])

    def test_a_prediction_stays_with_the_sweep(self):
        for batch in (1, 2):
            trace_file(self.folder, f"p{batch}.json", batch)
        folder = os.path.join(self.folder, "predicted")
        self.sweep("--vary", "batch=1,2", "--from", os.path.join(self.folder, "p{batch}.json"), "-o", folder)
        self.assertNotIn("predicted_ns", json.loads(self.sweep(folder, "--json").stdout)["points"][0])
        model = os.path.join(opsight_cli.HERE, "fuzz", "models", "model.onnx")
        predicted = json.loads(self.sweep(folder, "--predict", model, "--device", "host", "--json").stdout)
        self.assertGreater(predicted["points"][0]["predicted_ns"], 0)
        note, = (note for note in predicted["notes"] if note.startswith("predicted: "))
        self.assertRegex(note, "^predicted: the least time that .* can take on .*, forward alone, by 'opsight estimate'")
        later = json.loads(self.sweep(folder, "--json").stdout)
        self.assertEqual((later["points"], later["notes"]), (predicted["points"], predicted["notes"]))
        # A damaged one is said, and hides nothing else.
        with open(os.path.join(folder, "prediction.json"), "w", encoding="utf-8") as file:
            file.write('{"predicted_by": "x", "points": [{"point": "batch=1", "ns": -1}]}')
        damaged = json.loads(self.sweep(folder, "--json").stdout)
        self.assertNotIn("predicted_ns", damaged["points"][0])
        self.assertTrue(any("prediction" in note and "no time above 0" in note for note in damaged["notes"]), damaged["notes"])

    def test_what_another_version_kept_is_not_lost(self):
        for size in (1, 2):
            trace_file(self.folder, f"t{size}.json", size)
        folder = os.path.join(self.folder, "old")
        traces = os.path.join(self.folder, "t{size}.json")
        command = ("--vary", "size=1,2", "--from", traces, "-o", folder, "--format", "json")
        before = json.loads(self.sweep(*command).stdout)
        kept = sorted(os.path.join(folder, "runs", name) for name in os.listdir(os.path.join(folder, "runs")))
        self.assertEqual(len(kept), 2)

        def change(**fields):
            for path in kept:
                with open(path, encoding="utf-8") as file:
                    run = json.load(file)
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(run | fields, file)

        change(made_by="0.0 another")
        again = json.loads(self.sweep(folder, "--format", "json").stdout)
        self.assertEqual([row["latency_ns"] for row in again["points"]], [row["latency_ns"] for row in before["points"]])
        self.assertEqual(sum("0.0 another" in note for note in again["notes"]), 2, again["notes"])
        # With the traces at hand they are read again, and nothing is to be said.
        again = json.loads(self.sweep(*command).stdout)
        self.assertFalse(any("0.0 another" in note for note in again["notes"]), again["notes"])
        # What a later version may have kept otherwise is a failure that names the point and the reason.
        change(made_by="9.0 later", layout=2)
        again = json.loads(self.sweep(folder, "--format", "json").stdout)
        for row in again["points"]:
            self.assertIn("another layout", row["failure"])
        self.assertNotIn("in_flight", before["points"][0])

    def test_wrong_use_is_refused_before_anything_runs(self):
        folder = os.path.join(self.folder, "s")
        run = ["-o", folder, "--", "echo"]
        for arguments, words in (
            (["--vary", "a=1,2", *run], "{a} stands nowhere"),
            (["--vary", "a=1,2", *run, "{a}", "{b}"], "no --vary gives it values"),
            (["--vary", "a=1,1", *run, "{a}"], "is there twice"),
            (["--vary", "a=", *run, "{a}"], "a value is empty"),
            (["--vary", "a=1", "--", "echo", "{a}"], "no folder for the sweep"),
            (["--vary", "a=1", "-o", folder], "no command to run"),
            ([], "nothing is varied"),
            (["--vary", "a=1", "--predict", "x.onnx", *run, "{a}"], "belong together"),
            (["--vary", "a=1", "--format", "pdf", *run, "{a}"], "unknown format"),
        ):
            self.assertIn(words, self.sweep(*arguments, code=2).stderr)
            self.assertFalse(os.path.exists(folder))
        self.assertIn("is not the folder of a sweep", self.sweep(self.folder, code=1).stderr)
        self.assertIn("cannot be made", self.sweep("--vary", "a=1", "-o", "/proc/none", "--", "echo", "{a}", code=1).stderr)

    def test_a_folder_of_another_sweep_stays_as_it_is(self):
        folder = os.path.join(self.folder, "s")
        self.sweep("--vary", "a=1,2", "--repeat", "1", "-o", folder, "--", "true", "{a}")
        before = self.lines(folder)
        other = self.sweep("--vary", "a=1,2", "-o", folder, "--", "false", "{a}", code=1).stderr
        self.assertIn("another command: true {a}", other)
        fewer = self.sweep("--vary", "a=1", "-o", folder, "--", "true", "{a}", code=1).stderr
        self.assertIn("a=2 too", fewer)
        self.assertEqual(self.lines(folder), before)
        more = self.sweep("--vary", "a=1,2,3", "--repeat", "1", "-o", folder, "--", "true", "{a}")
        self.assertIn("2 runs of 3 points", more.stderr)


if __name__ == "__main__":
    unittest.main()
