"""What somebody sees of a program that has NVTX ranges and no framework, from recording it to the reports."""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")).absolute()
OPSIGHT = BIN / "opsight"
STEPS = 12


def run(*words, **more):
    return subprocess.run([OPSIGHT, *map(str, words)], capture_output=True, text=True, timeout=120, **more)


class Ranges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="opsight_ranges_")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.profiles = {}
        for kind in ("cpu", "gpu"):
            path = pathlib.Path(cls.folder.name) / f"{kind}.opsight"
            environment = {**os.environ, "OPSIGHT_CUPTI": str(BIN.parent / "lib/libfake_cupti.so")}
            done = run("profile", "-o", path, "--", BIN / "nvtx_simulate", kind, STEPS, env=environment)
            assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
            cls.profiles[kind] = path

    def report(self, kind, *words):
        done = run("report", self.profiles[kind], *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def rows(self, kind, *words):
        return {row["range"]: row for row in json.loads(self.report(kind, "--report", "ranges", "--json", *words))["ranges"]}

    def stats(self, kind, name):
        done = run("stats", self.profiles[kind], "-r", name, "-f", "csv", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_the_numbers_are_those_of_the_nvtx_reports(self):
        for kind in self.profiles:
            ours = {f"{row['domain'] or ''}:{name}": row for name, row in self.rows(kind).items()}
            sums = {row["Range"]: row for row in self.stats(kind, "nvtx_sum")}
            self.assertEqual(set(ours), set(sums))
            for name, row in ours.items():
                theirs = sums[name]
                self.assertEqual((row["total_time_ns"], row["calls"], row["min_time_ns"], row["max_time_ns"]),
                                 tuple(int(theirs[key]) for key in ("Total Time (ns)", "Instances", "Min (ns)", "Max (ns)")))
                self.assertAlmostEqual(row["median_time_ns"], float(theirs["Med (ns)"]), delta=0.6)
                self.assertAlmostEqual(row["avg_time_ns"], float(theirs["Avg (ns)"]), delta=0.6)
            own = {}
            for row in self.stats(kind, "nvtx_pushpop_trace"):
                own[row["Name"]] = own.get(row["Name"], 0) + int(row["DurNonChild (ns)"])
            self.assertEqual(own, {name: row["self_time_ns"] for name, row in ours.items() if row["self_time_ns"] is not None})
            self.assertIsNone(ours[":time loop"]["self_time_ns"])
        projected = {row["Range"]: row for row in self.stats("gpu", "nvtx_gpu_proj_sum")}
        ours = {f"{row['domain'] or ''}:{name}": row for name, row in self.rows("gpu").items()}
        self.assertEqual({name: int(row["Total Proj Time (ns)"]) for name, row in projected.items()},
                         {name: row["projected_gpu_time_ns"] for name, row in ours.items() if row["gpu_ops"]})
        self.assertEqual(ours["solver:sweep"]["gpu_ops"],
                         sum((step * step + sweep) % 5 + 1 for step in range(STEPS) for sweep in range(3)))

    def test_the_summary_tells_the_wall_clock_and_how_to_get_iterations(self):
        for kind in self.profiles:
            text = self.report(kind)
            self.assertRegex(text, r"Wall Clock Time +[\d.]+ ms")
            self.assertRegex(text, r"Processes +1\n")
            self.assertRegex(text, r"Threads +2\n")
            self.assertRegex(text, r"(?m)^Ranges")
            self.assertNotIn("Other Duration", text if kind == "cpu" else "")
            hint = re.search(r"note: the range 'step' comes 12 times: (--iteration-range) '(.*)' makes an iteration of each", text)
            summary = json.loads(self.report(kind, "--report", "summary", "--json", *hint.groups()))["summary"]
            self.assertEqual(summary["iterations"]["total"], STEPS)
            info = run("info", self.profiles[kind]).stdout
            self.assertIn("Iterations  none found", info)
            self.assertIn("--iteration-range '^step$'", info)

    def test_the_wall_clock_is_from_the_first_range_to_the_last(self):
        summary = json.loads(self.report("cpu", "--report", "summary", "--json"))["summary"]
        done = run("sql", self.profiles["cpu"], "SELECT max(begin_ns + dur_ns) - min(begin_ns) AS ns FROM nvtx_ranges",
                   "--json")
        self.assertEqual(summary["wall_clock_ns"], json.loads(done.stdout)[0]["ns"])

    def test_iterations_by_name_have_their_ranges(self):
        whole = self.rows("cpu")
        for words in (("--key-op", "step"), ("--iteration-range", "^step$"), ("--iteration-range", "^layer:")):
            with self.subTest(words):
                one = self.rows("cpu", *words, "--iter-start", "3", "--iter-stop", "4")
                self.assertEqual(one["sweep" if "layer" not in words[1] else "layer:physics/radiation"]["calls"],
                                 6 if "layer" not in words[1] else 2)
        parts = [self.rows("cpu", "--iteration-range", "^step$", "--iter-start", str(i), "--iter-stop", str(i))
                 for i in range(STEPS)]
        for name in ("step", "sweep", "exchange halo", "layer:physics/radiation"):
            self.assertEqual(sum(part[name]["total_time_ns"] for part in parts), whole[name]["total_time_ns"])
            self.assertEqual(sum(part[name]["self_time_ns"] for part in parts), whole[name]["self_time_ns"])

    def test_ranges_that_name_layers_are_no_frames_of_python(self):
        counts = json.loads(run("info", self.profiles["cpu"], "--json").stdout)["counts"]
        # setup, output, time loop; in each step itself, halo, solve, three sweeps, the layer; beside it a prefetch
        self.assertEqual((counts["nvtx_ranges"], counts["nvtx_marks"], counts["python_frames"], counts["module_calls"]),
                         (3 + 8 * STEPS, 1, 0, STEPS))

    def test_one_file_with_everything(self):
        for kind, reports in (("cpu", ["summary", "ranges"]), ("gpu", ["summary", "kernel_name", "kernel", "ranges"])):
            page = self.report(kind, "--format", "html")
            self.assertEqual(re.findall(r'<section id="(\w+)"', page), ["advice", *reports])
            self.assertIn("exchange halo", page)


if __name__ == "__main__":
    unittest.main()
