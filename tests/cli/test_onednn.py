#!/usr/bin/env python3
"""Logs of oneDNN from outside, beside a plain reading of their lines. Needs the corpus."""

import collections
import os
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "onednn")


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class Logs(unittest.TestCase):
    def test_ops_are_the_lines_of_the_log(self):
        folder = os.path.join(CORPUS, "onednn")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".log"):
                with self.subTest(name):
                    self.compare(os.path.join(folder, name), "timestamp" in name)

    def compare(self, path, timed):
        wanted, begins = collections.Counter(), []
        with open(path, encoding="utf-8") as file:
            for line in file:
                fields = line.rstrip("\n").split(",")
                if timed and fields[1] != "info":
                    begins.append(float(fields.pop(1)))
                operation = fields[1].split(":")[0]
                if fields[0] != "onednn_verbose" or operation not in ("exec", "create"):
                    continue
                primitive = fields[3] + ("_backward" if fields[5].startswith("backward") else "")
                wanted[operation == "create", primitive, round(float(fields[-1]) * 1e6)] += 1
        profile = opsight_cli.Profile(path)
        rows = profile.rows("SELECT name, begin_ns, dur_ns FROM ops ORDER BY begin_ns")
        found = collections.Counter()
        for row in rows:
            plain = row.name.removeprefix("onednn::").split(" (")[0]
            found[plain.startswith("create_"), plain.removeprefix("create_"), row.dur_ns] += 1
        # Their times have six significant digits; halves may be rounded either way.
        self.assertEqual(sum((found - wanted).values()), sum((wanted - found).values()))
        near = collections.Counter((made, primitive, round(ns, -2)) for (made, primitive, ns) in found.elements())
        also = collections.Counter((made, primitive, round(ns, -2)) for (made, primitive, ns) in wanted.elements())
        self.assertLess(sum((near - also).values()), 0.02 * len(rows) + 1)
        self.assertGreater(len(rows), 5)
        if timed:
            self.assertEqual([round((begin - begins[0]) * 1e3) for begin in begins],
                             [round(row.begin_ns / 1e3) for row in rows])
        summary = opsight_cli.run("report", profile.path, "--report", "summary", "--format", "json").stdout
        self.assertEqual('"wall_clock_ns":null' in summary.replace(" ", ""), not timed)
        self.assertEqual(profile.info()["iterations"]["total"], 0)


if __name__ == "__main__":
    unittest.main()
