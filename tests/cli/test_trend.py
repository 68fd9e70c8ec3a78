#!/usr/bin/env python3
"""`opsight trend`: a planted change is found where it is, noise is none, and what is refused."""

import csv
import io
import json
import os
import random
import tempfile
import unittest

import opsight_cli
import test_compare
import tiny_trace

SECOND = 1_000_000_000


class TrendTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.noise = random.Random(17)

    def run_of(self, name, slower=0.0, at=None):
        """Iterations of 100 us and up to 1 us of noise; `at`: when it was recorded, in s since 1970."""
        by = round(slower + self.noise.random(), 3)
        trace = test_compare.slowed(tiny_trace.trace(steps=5), "relu_kernel(float*)", by)
        if at is not None:
            trace["baseTimeNanoseconds"] = at * SECOND
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        return path

    def trend(self, *arguments, code=0):
        done = opsight_cli.run("trend", *arguments, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_a_planted_change_is_found_where_it_is(self):
        runs = [self.run_of(f"{i}.json", 7 if i >= 8 else 0) for i in range(16)]
        answer = json.loads(self.trend(*runs, "--json"))
        changes = {row["of"]: row for row in answer["changes"]}
        first = answer["changes"][0]
        self.assertEqual((first["of"], first["run"], first["label"]), ("iteration time", 9, runs[8]))
        self.assertAlmostEqual(first["change_ns"], 7000, delta=1000)
        self.assertLess(first["p"], 0.01)
        self.assertEqual(set(changes), {"iteration time", "Other kernels"})
        self.assertEqual(len(answer["runs"]), 16)
        # Classes add up to the mean: four iterations of the median, and the last, which ends 5 us before a next one would begin.
        for row in answer["runs"]:
            classes = [value for key, value in row.items() if key.endswith("_ns") and key != "median_ns"]
            self.assertEqual(sum(classes), row["median_ns"] - 1000)
        text = self.trend(*runs, "--label", *[f"c{i}" for i in range(16)])
        self.assertIn("from run 9 on (c8)", text.split("\n")[0])
        self.assertIn("in which they were given", text)

    def test_noise_and_one_slow_run_are_no_change(self):
        runs = [self.run_of(f"{i}.json", 40 if i == 6 else 0) for i in range(14)]
        answer = json.loads(self.trend(*runs, "--json"))
        self.assertEqual(answer["changes"], [])
        self.assertIn("no change that can be told from noise", answer["notes"][0])

    def test_ordered_by_time(self):
        runs = [self.run_of(f"{i}.json", 7 if i < 8 else 0, 1_700_000_000 - 60 * i) for i in range(16)]
        answer = json.loads(self.trend(*runs, "--json"))
        self.assertEqual([row["label"] for row in answer["runs"]], runs[::-1])
        self.assertEqual(answer["runs"][-1]["recorded"], "2023-11-14T22:13:20Z")
        self.assertEqual((answer["changes"][0]["run"], answer["changes"][0]["label"]), (9, runs[7]))
        labelled = json.loads(self.trend(*runs, "--json", "--label", *[str(i) for i in range(16)]))
        self.assertEqual([row["label"] for row in labelled["runs"]], [str(i) for i in range(16)])

    def test_folder_and_formats(self):
        for name in ("b", "a"):
            opsight_cli.run("import", self.run_of(f"{name}.json"), "-o", os.path.join(self.folder, f"{name}.opsight"))
        tables = self.trend(self.folder, "--format", "csv").split("\n\n")
        self.assertEqual([table.split("\n")[0] for table in tables], ["changes", "runs"])
        rows = list(csv.DictReader(io.StringIO(tables[1].split("\n", 1)[1])))
        self.assertEqual([os.path.basename(row["Label"]) for row in rows], ["a.opsight", "b.opsight"])
        self.assertTrue(self.trend(self.folder, "--format", "markdown").startswith("## Trend\n"))
        self.assertIn("2 runs: so few can hide any change", self.trend(self.folder))
        self.assertIn("Iteration time by run", self.trend(self.folder))
        picture = self.trend(self.folder, "--format", "svg")
        self.assertEqual(picture.count("<circle"), 2)
        self.assertIn(picture.strip(), self.trend(self.folder, "--format", "html"))
        path = os.path.join(self.folder, "trend.md")
        self.trend(self.folder, "--format", "markdown", "-o", path)
        self.assertIn("trend.md", self.trend(self.folder, "-o", path, code=1))

    def test_refusals(self):
        run = self.run_of("run.json")
        self.assertIn("2 to 1000 runs", self.trend(run, code=1))
        self.assertIn("1 labels for 2 runs", self.trend(run, run, "--label", "x", code=2))
        self.assertIn("no file there ends in .opsight", self.trend(self.folder, code=1))
        self.assertIn("html or svg", self.trend(run, run, "--format", "xml", code=2))
        broken = os.path.join(self.folder, "broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("no trace")
        self.assertIn("broken.json", self.trend(run, broken, code=1))


if __name__ == "__main__":
    unittest.main()
