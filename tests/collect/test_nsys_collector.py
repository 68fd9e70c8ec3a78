"""Recording by Nsight Systems: what it is asked for, and what becomes of its report."""
import os
import unittest

from test_nvtx import Nvtx


class NsightSystems(Nvtx):
    """A made-up nsys that runs the program and leaves a report, and exports it as SQLite."""

    FAKE = """#!/usr/bin/env python3
import sqlite3, subprocess, sys
words = sys.argv[1:]
if words[0] == "export":
    file = sqlite3.connect(words[words.index("--output") + 1])
    file.executescript('''
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);
        INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, 'from nsys', 16777216001);''')
    file.commit()
    sys.exit(0)
assert words[0] == "profile", words
output = words[words.index("--output") + 1]
at = next(i for i, word in enumerate(words) if word.endswith("nvtx_odd_own"))
open(output + ".nsys-rep", "w").write(" ".join(words[:at]))
sys.exit(subprocess.run(words[at:]).returncode)
"""

    def test_nsys_runs_the_program_and_its_report_is_imported(self):
        nsys = self.dir / "tools" / "nsys"
        nsys.parent.mkdir()
        nsys.write_text(self.FAKE, encoding="utf-8")
        nsys.chmod(0o755)
        environment = dict(os.environ, PATH=f"{nsys.parent}:{os.environ['PATH']}")
        done = self.odd("many", "10", options=["--collector", "nsys", "--capture-range", "a@b", "--keep-capture"],
                        env=environment)
        self.assert_ran(done)
        self.assertEqual(self.counts(), {"from nsys": 1})
        (report,) = self.dir.glob("*.capture-*/run.nsys-rep")
        self.assertIn("--capture-range nvtx --nvtx-capture a@b --capture-range-end stop", report.read_text())

    def test_what_nsys_cannot_do_is_refused_and_its_failure_told(self):
        nsys = self.dir / "nsys"
        nsys.write_text("#!/bin/sh\necho \"$*\" >arguments\nexit 7\n", encoding="utf-8")
        nsys.chmod(0o755)
        environment = dict(os.environ, PATH=f"{self.dir}:{os.environ['PATH']}")
        for options in (["--nvtx-sample", "a=2"], ["--skip-iterations", "1"], ["--pytorch"], ["--flush-every", "1"]):
            done = self.odd("many", "10", options=["--collector", "nsys", *options], env=environment)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"Nsight Systems has nothing like {options[0]}", done.stderr)
        done = self.odd("many", "10", env=environment, options=[
            "--collector", "nsys", "--nvtx-include", "a", "--nvtx-include", "b"])
        self.assertEqual((done.returncode, done.stdout), (7, ""))
        self.assertIn("left no report (exit code 7)", done.stderr)
        self.assertIn("--nvtx-domain-include a,b", (self.dir / "arguments").read_text())

    def test_without_nsys_it_says_so(self):
        done = self.odd("many", "10", options=["--collector", "nsys"], env={"PATH": "/nowhere"})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("Nsight Systems is not installed", done.stderr)


if __name__ == "__main__":
    unittest.main()
