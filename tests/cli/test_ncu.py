#!/usr/bin/env python3
"""A table of Nsight Compute from outside: what its reports show, and what they leave empty. The second class needs the corpus."""

import csv
import json
import os
import tempfile
import unittest

import opsight_cli

FIRST = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
         "Device", "CC", "dram__bytes.sum", "gpu__time_duration.sum"]
UNITS = [""] * 11 + ["Mbyte", "us"]


def launch(number, kernel, *values):
    return [number, 9, "python3", "h", kernel, 1, 7, "(256, 1, 1)", "(80, 2, 1)", 0, "8.0", *values]


class NsightCompute(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight-ncu-")
        self.addCleanup(folder.cleanup)
        self.table = os.path.join(folder.name, "a.csv")
        self.profile = os.path.join(folder.name, "a.opsight")
        with open(self.table, "w", encoding="utf-8", newline="") as file:
            file.write("==PROF== Connected to process 9\n")
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
                [FIRST, UNITS, launch(0, "gemm(a)", "2", "12.5"), launch(1, "gemm(a)", "4", "7.5"),
                 launch(2, "add(b)", "1", "20.25")])
        opsight_cli.run("import", self.table, "-o", self.profile)

    def report(self, name):
        done = opsight_cli.run("report", self.profile, "--report", name, "--format", "csv")
        return list(csv.DictReader(done.stdout.splitlines()))

    def test_kernels_have_their_times_and_launches(self):
        done = opsight_cli.run(
            "sql", self.profile, "--format", "csv",
            "SELECT name, dur_ns, grid_y, block_x, stream, device FROM kernels ORDER BY begin_ns")
        self.assertEqual(done.stdout.splitlines()[1:],
                         ["gemm(a),12500,2,256,7,0", "gemm(a),7500,2,256,7,0", "add(b),20250,2,256,7,0"])

    def test_counters_are_summed_by_kernel(self):
        rows = {(row["Subject"], row["Counter"]): row for row in self.report("counters")}
        gemm = rows["gemm(a)", "dram__bytes.sum [byte]"]
        self.assertEqual((gemm["Samples"], float(gemm["Min"]), float(gemm["Max"]), float(gemm["Mean of Samples"])),
                         ("2", 2e6, 4e6, 3e6))
        self.assertEqual(float(rows["add(b)", "gpu__time_duration.sum [ns]"]["Max"]), 20250)

    def test_a_count_of_some_launches_is_not_that_of_all(self):
        with open(self.table, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
                [FIRST[:-1] + ["smsp__inst_executed.sum", FIRST[-1]], UNITS[:-1] + ["inst", UNITS[-1]],
                 launch(0, "gemm(a)", "2", "300", "10"), launch(1, "gemm(a)", "4", "", "30"),
                 launch(2, "add(b)", "1", "50", "20"), launch(3, "add(b)", "1", "70", "20")])
        opsight_cli.run("import", self.table, "-o", self.profile, "--force")
        done = opsight_cli.run("report", self.profile, "--report", "characterize", "--format", "json")
        rows = {row["kernel_name"]: row for row in json.loads(done.stdout)["characterize"]["characterize_kernels"]}
        self.assertEqual({name: row["instructions"] for name, row in rows.items()}, {"gemm": None, "add": 120})
        self.assertAlmostEqual(rows["gemm"]["dram_bytes_per_s"], 6e6 / 40e-6, delta=1)

    def test_what_nobody_measured_is_left_empty(self):
        done = opsight_cli.run("report", self.profile, "--report", "summary", "--format", "json")
        text = json.dumps(json.loads(done.stdout))
        for key in ("wall_clock_ns", "gpu_utilization_pct", "idle_pct"):
            self.assertIn(f'"{key}": null', text)
        self.assertIn("not when", text)
        self.assertIn('"gpu_utilization_pct": null, "kernel_utilization_pct": null, "busy_ns": 40250', text)
        for key in ("host_wait_ns", "exposed_communication_ns", "cpu_time_ns"):
            self.assertIn(f'"{key}": null', text)
        self.assertNotIn("no_launch_found", text)
        self.assertNotIn("no_iterations", text)

    def test_kernels_in_order_are_no_iterations(self):
        with open(self.table, "a", encoding="utf-8", newline="") as file:
            for number in range(3, 60):
                csv.writer(file, quoting=csv.QUOTE_ALL).writerow(
                    launch(number, "abc"[number % 3] + "(a)", "1", "10"))
        opsight_cli.run("import", self.table, "-o", self.profile, "--force")
        done = opsight_cli.run("info", self.profile)
        self.assertIn("none found", done.stdout)


CORPUS = opsight_cli.shared_folder("corpus", "ncu-csv")
SCALES = {"": 1, "n": 1, "u": 1e3, "m": 1e6}


class RealTables(unittest.TestCase):
    """Each table of the corpus, beside what Python's csv reads in it."""

    def test_launches_and_metrics_are_those_of_the_table(self):
        if not CORPUS:
            opsight_cli.say_skipped("real tables of Nsight Compute: no corpus (OPSIGHT_CORPUS)")
            return
        folder = os.path.join(CORPUS, "ncu-csv")
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".csv")):
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="opsight-ncu-") as scratch:
                self.compare(os.path.join(folder, name), os.path.join(scratch, "a.opsight"))

    def compare(self, table, profile):
        with open(table, encoding="utf-8", newline="") as file:
            lines = file.read().splitlines(keepends=True)
        first = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
        rows = [row for row in csv.DictReader(lines[first:]) if row["Metric Name"]]
        durations, values = {}, []
        for row in rows:
            amount = row["Metric Value"].replace(",", "")
            if not amount.replace(".", "").replace("-", "").isdigit():
                continue
            unit = row["Metric Unit"]
            if row["Metric Name"] == "Duration":
                short = unit.removesuffix("econd").removesuffix("s")
                durations[row["ID"]] = round(float(amount) * (1e9 if unit in ("s", "second") else SCALES[short]))
            if unit in ("%", "byte/second", "cycle", "register/thread", "warp", "block", "inst"):
                values.append((row["Metric Name"], float(amount)))
        opsight_cli.run("import", table, "-o", profile)
        kernels = opsight_cli.run("sql", profile, "--format", "csv", "SELECT dur_ns FROM kernels ORDER BY begin_ns")
        self.assertEqual([int(line) for line in kernels.stdout.split()[1:]], list(durations.values()))
        found = opsight_cli.run("sql", profile, "--format", "csv", "SELECT name, value FROM counters")
        there = [(row["name"].split(": ")[-1].rsplit(" [", 1)[0], float(row["value"]))
                 for row in csv.DictReader(found.stdout.splitlines())]
        for value in values:
            self.assertIn(value, there)
            there.remove(value)
        self.assertGreater(len(values), 30)

    def test_launches_without_a_time_are_no_kernels(self):
        with tempfile.TemporaryDirectory(prefix="opsight-ncu-") as folder:
            table, profile = os.path.join(folder, "a.csv"), os.path.join(folder, "a.opsight")
            with open(table, "w", encoding="utf-8", newline="") as file:
                csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
                    [FIRST[:-1], UNITS[:-1], launch(0, "gemm(a)", "2"), launch(1, "gemm(a)", "4")])
            done = opsight_cli.run("import", table, "-o", profile)
            self.assertIn("gpu__time_duration.sum", done.stdout + done.stderr)
            summary = opsight_cli.run("report", profile).stdout
            self.assertNotIn("those of the CPU", summary)
            # Bytes without a time make no rate.
            done = opsight_cli.run("report", profile, "--report", "characterize", "--format", "json")
            (row,) = json.loads(done.stdout)["characterize"]["characterize_kernels"]
            self.assertEqual((row["kernel_name"], row["calls"], row["dram_bytes_per_s"]), ("gemm(a)", 2, None))
            counters = opsight_cli.run("report", profile, "--report", "counters", "--format", "csv").stdout
            self.assertEqual([row["Samples"] for row in csv.DictReader(counters.splitlines())], ["2"])


class Summaries(unittest.TestCase):
    """What 'ncu --print-summary per-kernel' prints, made here, beside what Python's csv reads in it."""

    FIRST = ["Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size", "Grid Size", "Device", "CC", "Invocations",
             "Section Name", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"]

    def setUp(self):
        self.path = os.path.join(opsight_cli.temporary_folder(), "summary.csv")
        rows = [self.FIRST]
        for kernel, launches, least, most, average in (("gemm(float*, int)", 7, 1.5, 9.25, 4.0), ("copy(int)", 2, 1, 3, 2),
                                                       ("once()", 1, 5, 5, 5)):
            facts = [77, "python3", "127.0.0.1", kernel, "(256, 1, 1)", "(1024, 2, 1)", 0, "8.0", launches]
            rows.append([*facts, "GPU Speed Of Light Throughput", "Duration", "us", least, most, average])
            rows.append([*facts, "Occupancy", "Achieved Occupancy", "%", 10, 90, 50])
        with open(self.path, "w", encoding="utf-8", newline="") as file:
            file.write("==PROF== Connected to process 77\n")
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)

    def test_launches_add_up_to_the_sums(self):
        with open(self.path, encoding="utf-8", newline="") as file:
            next(file)
            told = {row["Kernel Name"]: (int(row["Invocations"]), round(1000 * int(row["Invocations"]) * float(row["Average"])),
                                         round(1000 * float(row["Minimum"])), round(1000 * float(row["Maximum"])))
                    for row in csv.DictReader(file) if row["Metric Name"] == "Duration"}
        profile = opsight_cli.Profile(self.path)
        found = profile.rows("SELECT name, count(*) AS calls, sum(dur_ns)::BIGINT AS ns, min(dur_ns) AS least, "
                             "max(dur_ns) AS most FROM kernels GROUP BY name")
        self.assertEqual({row.name: (row.calls, row.ns, row.least, row.most) for row in found}, told)
        self.assertEqual(profile.value("SELECT count(*) FROM counters WHERE name = 'invocations'"), 3)
        text = opsight_cli.run("report", profile.path).stdout
        self.assertIn("no single launch", text)
        self.assertNotIn("Wall Clock Time", text)

    def test_sums_are_not_joined_with_a_trace(self):
        trace = os.path.join(opsight_cli.HERE, "fuzz", "seeds", "kineto_2024.json")
        done = opsight_cli.run("import", trace, "--counters", self.path, "-o", self.path + ".opsight", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no single launch", done.stderr)


if __name__ == "__main__":
    unittest.main()
