"""Programs with planted faults: does advice name the fault, and stop naming it once it is fixed?

Some quick ones; ./dev pathologies runs all of them and prints the table that docs/PATHOLOGIES.md explains. Needs a
Python with torch (OPSIGHT_PYTHON, else the one that runs this); says so and passes where there is none.
"""
import ast
import os
import pathlib
import subprocess
import tempfile
import unittest

import cases
import measure
import opsight_cli
import simulated
import table

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
SHARED = {"training", "training_ranks", "training_remote"}
# Their shares are those of ops, which a busy machine does not change much.
QUICK = ("double_precision", "gelu_by_hand", "loop_over_rows")
QUICK_SIMULATED = (simulated.TinyKernels, simulated.LayoutConversions, simulated.PlainAttention, simulated.LateExchange,
                   simulated.ReadsEachLoss, simulated.PageableBatch)
# Noise of a busy machine, of what the fix gained: the bare runs and the recorded one see different neighbours. What
# one pair of runs breaks is held against the least gain of several.
NOISE = 0.15
PAIRS = 5


def lacks():
    done = subprocess.run([measure.PYTHON, "-c", "import torch"], capture_output=True)
    if done.returncode != 0:
        return "%s has no torch (Debian: apt-get install python3-torch)" % measure.PYTHON
    if not (pathlib.Path(opsight_cli.PROGRAM).parent / "../lib/libopsight_torch.so").exists():
        return "the PyTorch observer was not built (Debian: apt-get install libtorch-dev)"
    return None


LACKS = lacks()
CASE = cases.Case("p", ("right", "right_too"))


def finding(name, ns=None):
    return {"id": name, "rule": name, "severity": "high", "bound": None if ns is None else {"ns": ns, "predicted_ns": None}}


class Judgement(unittest.TestCase):
    def test_the_fault_comes_first(self):
        judged = measure.judge(CASE, [finding("right", 5_000_000), finding("other")], [])
        self.assertEqual((judged["place"], judged["bound_ms"], judged["gone"]), (1, 5.0, True))

    def test_another_finding_comes_before_it(self):
        judged = measure.judge(CASE, [finding("other", 9), finding("right_too", 3_000_000)], [finding("right")])
        self.assertEqual((judged["first"], judged["place"], judged["bound_ms"]), ("other", 2, 3.0))
        self.assertFalse(judged["gone"])

    def test_the_fault_is_not_named(self):
        judged = measure.judge(CASE, [finding("other", 9)], [finding("other")])
        self.assertEqual((judged["place"], judged["bound_ms"], judged["left"]), (0, None, ("other",)))

    def result(self, fault_ms, fixed_ms, bound_ms, predicted_ms=None):
        return measure.Result(CASE, fault_ms, fixed_ms, "right", 1, bound_ms, predicted_ms, True, ())

    def test_a_bound_below_the_gain_is_broken(self):
        self.assertTrue(self.result(30, 10, 20).bound_holds)
        self.assertFalse(self.result(30, 10, 19).bound_holds)
        self.assertIsNone(self.result(30, 10, None).bound_holds)

    def test_a_prediction_is_held_against_the_gain(self):
        self.assertEqual(self.result(30, 10, 20, 15).ratio, 0.75)
        self.assertIsNone(self.result(30, 30, 20, 15).ratio)
        self.assertIsNone(self.result(30, 10, 20).ratio)

    def test_the_summary_counts_all_of_it(self):
        words = list(table.summary([self.result(30, 10, 20, 15), self.result(30, 10, 19, 20)]))
        self.assertIn("Named first: 2 of 2 faults.", words)
        self.assertIn("Bound at or above what the fix gained: 1 of 2.", words)
        self.assertIn("Median |predicted / gain - 1|: 12 % of 2.", words)


class Programs(unittest.TestCase):
    def test_each_program_is_a_case_and_tells_its_fault(self):
        programs = {path.stem for path in PROGRAMS.glob("*.py")} - SHARED
        self.assertEqual(programs, {case.program for case in cases.CASES})
        self.assertGreaterEqual(len(programs), 25)
        for name in programs:
            text = ast.get_docstring(ast.parse((PROGRAMS / (name + ".py")).read_text(encoding="utf-8")))
            self.assertTrue(text.startswith("Fault: "), name)
            self.assertIn("Fix: ", text, name)


class Command(unittest.TestCase):
    def test_its_usage_comes_without_a_build(self):
        # A preset that is not there: nothing can be built with it.
        done = subprocess.run([PROGRAMS.parents[2] / "dev", "pathologies", "--help"], text=True, capture_output=True,
                              env={**os.environ, "OPSIGHT_PRESET": "none"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("usage: ./dev pathologies"), done.stdout)


class Simulated(unittest.TestCase):
    """GPU runs that were made up: what a fix gains is known exactly, so bounds must hold to the last microsecond."""

    def test_named_first_bounded_and_gone(self):
        with tempfile.TemporaryDirectory(prefix="opsight-pathology-") as folder:
            for program in QUICK_SIMULATED:
                with self.subTest(simulated.name_of(program)):
                    result = measure.simulate(program, folder)
                    self.assertEqual(result.place, 1, result)
                    self.assertTrue(result.gone, result)
                    self.assertTrue(result.bound_holds, result)
                    self.assertEqual(result.left, (), result)
                    if result.ratio is not None:
                        self.assertLess(abs(result.ratio - 1), 0.15, result)


@unittest.skipIf(LACKS, LACKS)
class Quick(unittest.TestCase):
    def test_named_first_bounded_and_gone(self):
        for case in cases.CASES:
            if case.program not in QUICK:
                continue
            with self.subTest(case.program), tempfile.TemporaryDirectory(prefix="opsight-pathology-") as folder:
                result = measure.measure(case, 8, 1, folder)
                if not self.bounded(result):
                    result = measure.measure(case, 8, PAIRS, folder)
                self.assertEqual(result.place, 1, result)
                self.assertTrue(result.gone, result)
                self.assertTrue(self.bounded(result), result)

    @staticmethod
    def bounded(result):
        return result.bound_ms is not None and result.bound_ms >= (1 - NOISE) * result.least_gain_ms


if __name__ == "__main__":
    unittest.main()
