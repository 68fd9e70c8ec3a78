#!/usr/bin/env python3
"""Every report of `opsight stats` and rule of `opsight analyze` on every Nsight Systems export of the corpus, row by
row against the plain SQL and Python of nsys_stats.py; and that Python against a report that nsys itself wrote.

The exports come from outside the repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import csv
import glob
import io
import lzma
import os
import sys
import tempfile
import unittest

import fabricated_export
import nsys_rules
import nsys_stats
import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "nsys-sqlite")
EXPORTS = os.path.join(CORPUS or "", "nsys-sqlite")
NSYS_CSV = opsight_cli.shared_folder("corpus", "nsys-csv")
APPROXIMATE = ("Avg", "Med", "StdDev", "(%)", "(MB)", "(MB/s)")


def is_approximate(head):
    return any(part in head for part in APPROXIMATE)


def value_of(text, head):
    """What a CSV field says: None, a number or a text."""
    if text == "":
        return None
    if head == "Device":  # "NVIDIA H100 (0)"
        return int(text[text.rindex("(") + 1:-1])
    try:
        return float(text) if is_approximate(head) else int(text)
    except ValueError:
        return text


def parsed(text):
    return [{head: value_of(field, head) for head, field in row.items()} for row in csv.DictReader(io.StringIO(text))]


def sort_key(row):
    return [(value is not None, isinstance(value, str), value) for head, value in row.items()
            if not is_approximate(head)]


class Case(unittest.TestCase):
    maxDiff = 2000

    def rows(self, path, name, *options):
        return parsed(opsight_cli.run("stats", path, "-r", name, "-f", "csv", "-q", *options).stdout)

    def all_rows(self, path, names, *options, command):
        """The rows of many reports, from one run of the program."""
        with tempfile.TemporaryDirectory() as folder:
            opsight_cli.run(command[0], path, command[1], ",".join(names), "-f", "csv", "-q", *options, "-o",
                            os.path.join(folder, "x"))
            made = {}
            for name in names:
                file = os.path.join(folder, f"x_{name.replace(':', '_')}.csv")
                made[name] = []  # skipped for want of data
                if os.path.exists(file):
                    with open(file, encoding="utf-8", newline="") as text:
                        made[name] = parsed(text.read())
            return made

    def assert_same(self, ours, wanted, what):
        self.assertEqual(len(ours), len(wanted), what)
        if not wanted:
            return
        heads = list(wanted[0])
        self.assertLessEqual(set(heads), set(ours[0]), what)
        ours = sorted(({head: row[head] for head in heads} for row in ours), key=sort_key)
        for mine, row in zip(ours, sorted(wanted, key=sort_key)):
            for head in heads:
                if is_approximate(head) and mine[head] is not None and row[head] is not None:
                    digits = 0.00051 if "MB" in head else 0.051
                    self.assertAlmostEqual(mine[head], row[head], delta=digits + 1e-9 * abs(row[head]),
                                           msg=f"{what}: {head} of {row}")
                else:
                    self.assertEqual(mine[head], row[head] if row[head] != "" else None, f"{what}: {head} of {row}")


    def check_ids(self, path):
        """Parents are ranges, one level up, around their children; stacks lead to them."""
        rows = {row["RangeId"]: row for row in self.rows(path, "nvtx_pushpop_trace")}
        for row in rows.values():
            stack = [int(part) for part in row["RangeStack"].split(":")[1:]]
            self.assertEqual(stack[-1], row["RangeId"])
            self.assertEqual(len(stack), row["Lvl"] + 1)
            if row["Lvl"] > 0:
                parent = rows[row["ParentId"]]
                self.assertEqual(stack[-2], row["ParentId"])
                self.assertEqual((parent["Lvl"], parent["TID"]), (row["Lvl"] - 1, row["TID"]))
                self.assertLessEqual(parent["Start (ns)"], row["Start (ns)"])
                self.assertGreaterEqual(parent["End (ns)"], row["End (ns)"])
        for row in self.rows(path, "nvtx_gpu_proj_trace"):
            if row["Style"] == "PushPop":
                self.assertEqual(row["RangeStack"], rows[row["RangeId"]]["RangeStack"])

    def assert_all_same(self, path):
        """Every report and rule of an export; returns the number of rows of each."""
        profile = opsight_cli.Profile(path)
        export = nsys_stats.Export(path)
        counts = {}
        for command, references, options in (("stats -r", nsys_stats.REPORTS, ()),
                                             ("analyze -r", nsys_rules.RULES, ("--rows", "1000000"))):
            made = self.all_rows(profile.path, list(references), *options, command=command.split())
            for name, reference in references.items():
                with self.subTest(f"{name} of {os.path.basename(path)}"):
                    wanted = reference(export)
                    self.assert_same(made[name], wanted, name)
                    counts[name] = len(wanted)
        with self.subTest(f"ids of {os.path.basename(path)}"):
            self.check_ids(profile.path)
        profile.remove()
        return counts


class FabricatedTest(Case):
    def test_what_the_corpus_lacks(self):
        path = os.path.join(opsight_cli.temporary_folder(), "fabricated.sqlite")
        for seed in range(3):
            fabricated_export.write(path, seed)
            counts = self.assert_all_same(path)
            self.assertEqual({name for name, rows in counts.items() if rows == 0}, set(), "reports without rows")


@unittest.skipUnless(CORPUS, "no corpus")
class CorpusTest(Case):
    def test_every_report_of_every_export(self):
        files = sorted(glob.glob(os.path.join(EXPORTS, "*.sqlite")))
        self.assertGreater(len(files), 10)
        table = {}
        for path in files:
            for name, rows in self.assert_all_same(path).items():
                table.setdefault(name, []).append(rows)
        for name, rows in table.items():
            print(f"{name}: {sum(rows)} rows in {sum(count > 0 for count in rows)} of {len(rows)} exports",
                  file=sys.stderr)
            self.assertEqual(len(rows), len(files), name)

    def test_the_orders_that_nsys_has(self):
        path = os.path.join(EXPORTS, "nsys-ai__h100_2gpu_1s.sqlite")
        profile = opsight_cli.Profile(path)
        for name in nsys_stats.REPORTS:
            rows = self.rows(profile.path, name)
            head = next((head for head in ("Total Time (ns)", "Total Proj Time (ns)", "Total (MB)") if head in rows[0]),
                        None) if rows else None
            if head:
                keys = [row[head] for row in rows]
                self.assertEqual(keys, sorted(keys, reverse=True), name)
            if name.endswith("_trace") and rows:
                keys = [row.get("Start (ns)", row.get("Kernel Start (ns)", row.get("Projected Start (ns)")))
                        for row in rows]
                self.assertEqual(keys, sorted(keys), name)

    def test_a_window_of_time(self):
        path = os.path.join(EXPORTS, "nsightful__power_iteration.sqlite")
        profile = opsight_cli.Profile(path)
        starts = [call["start"] for call in nsys_stats.Export(path).api()]
        window = sorted(starts)[len(starts) // 4], sorted(starts)[len(starts) // 2]
        export = nsys_stats.Export(path, window)
        for name in ("cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "osrt_sum", "nvtx_sum",
                     "cuda_kern_exec_sum", "nvtx_kern_sum"):
            wanted = nsys_stats.REPORTS[name](export)
            self.assertTrue(wanted, name)
            self.assert_same(self.rows(profile.path, name, "--filter-time", f"{window[0]}/{window[1]}"), wanted, name)

    def test_an_export_is_read_directly(self):
        path = os.path.join(EXPORTS, "nsys-ai__mock.sqlite")
        self.assert_same(self.rows(path, "cuda_gpu_kern_sum"),
                         nsys_stats.cuda_gpu_kern_sum(nsys_stats.Export(path)), "direct")


@unittest.skipUnless(NSYS_CSV, "no reports of nsys")
class ReferenceTest(unittest.TestCase):
    def test_the_stack_is_that_of_nsys(self):
        (path,) = glob.glob(os.path.join(NSYS_CSV, "nsys-csv", "*nvtx_pushpop_trace.csv.xz"))
        with lzma.open(path, "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 30000)
        by_start = {}
        ranges = [(int(row["Start (ns)"]), int(row["End (ns)"]), (row["PID"], row["TID"]), row["RangeId"], "PushPop")
                  for row in rows]
        for r in nsys_stats.nest(ranges):
            by_start[r.name] = r
        for row in rows:
            r = by_start[row["RangeId"]]
            self.assertEqual([row[head] for head in ("Lvl", "NumChild", "DurChild (ns)", "ParentId")],
                             [str(r.level), str(r.children), str(r.in_children), r.parent["name"] if r.parent else ""])
            self.assertEqual(row["NameTree"], "--" * r.level + row["Name"])


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("the reports of nsys against plain SQL: no Nsight Systems exports (OPSIGHT_CORPUS)")
    unittest.main()
