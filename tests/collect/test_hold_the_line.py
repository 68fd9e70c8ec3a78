"""examples/hold_the_line.sh: passes on the same program twice, fails on one that does more.

Needs a Python with torch (OPSIGHT_PYTHON, else this one); says so and passes where there is none.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from test_profile import LACKS, OPSIGHT, PYTHON

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
TRAIN = f"'{PYTHON}' '{EXAMPLES}/train_transformer.py' --steps 20"


@unittest.skipIf(LACKS, LACKS)
class HoldTheLine(unittest.TestCase):
    def hold(self, base, new, *limits):
        with tempfile.TemporaryDirectory(prefix="opsight_hold_") as folder:
            done = subprocess.run([EXAMPLES / "hold_the_line.sh", folder + "/out", base, new, *limits], text=True,
                                  capture_output=True, env={**os.environ, "OPSIGHT": str(OPSIGHT.absolute())})
            junit = pathlib.Path(folder, "out", "limits.xml")
            failures = xml.etree.ElementTree.parse(junit).find("testsuite").get("failures") if junit.exists() else None
            self.assertEqual(junit.exists(), pathlib.Path(folder, "out", "comparison.md").exists())
        return done, failures

    # What the machine does beside this is no part of the program: the limits are far from both.
    def test_the_same_program_passes(self):
        done, failures = self.hold(TRAIN, TRAIN, "iteration_time > 100%", "op:aten::addmm calls > 0%")
        self.assertEqual((done.returncode, failures), (0, "0"), done.stderr)

    def test_a_slower_program_fails_twice(self):
        done, failures = self.hold(TRAIN, TRAIN + " --layers 12", "iteration_time > 50%", "op:aten::addmm calls > 0%")
        self.assertEqual((done.returncode, failures), (3, "2"), done.stderr)
        self.assertEqual(done.stderr.count("over the limit 'iteration_time > 50%': iteration time: "), 2, done.stderr)
        self.assertIn("once more", done.stderr)

    def test_a_program_that_fails_is_no_comparison(self):
        done, failures = self.hold(TRAIN, "false")
        self.assertEqual((done.returncode, failures), (1, None), done.stderr)
        self.assertIn("'false' failed", done.stderr)


if __name__ == "__main__":
    unittest.main()
