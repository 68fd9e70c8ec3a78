"""The final line of ./dev test counts single cases, never hides a crash, and fails when nothing ran."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "tally.py"
GTEST = '''<testsuites><testsuite name="S">
<testcase name="A" classname="S" status="run"/>
<testcase name="B" classname="S" status="run"><failure message="no"/></testcase>
<testcase name="C" classname="S" status="run"><skipped message="f.cpp:3&#x0A;no corpus"/></testcase>
</testsuite></testsuites>'''
PYTHON = '''test_a (m.T) ... ok
test_b (m.T) ... skipped 'no golden folder'
test_c (m.T) ... FAIL

======================================================================
FAIL: test_c (m.T)
----------------------------------------------------------------------
Traceback (most recent call last):
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 3 tests in 0.1s

FAILED (failures=1, skipped=1)
'''


def junit(*cases):
    rows = "".join(f'<testcase name="{n}" status="{s}"><system-out>{o}</system-out></testcase>' for n, s, o in cases)
    return f"<testsuite>{rows}</testsuite>"


class Tally(unittest.TestCase):
    def tally(self, cases, gtest=None):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "tests.junit").write_text(junit(*cases))
            if gtest:
                pathlib.Path(folder, "tests").mkdir()
                pathlib.Path(folder, "tests", "test_base.xml").write_text(gtest)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, done.stdout.splitlines()

    def test_plain_entries(self):
        self.assertEqual(self.tally([("check_a", "run", ""), ("check_b", "run", "")]), (0, ["2 passed, 0 failed"]))

    def test_googletest_cases_are_counted(self):
        code, lines = self.tally([("unit_base", "fail", "")], GTEST)
        self.assertEqual(code, 1)
        self.assertEqual([" ".join(line.split()) for line in lines],
                         ["SKIPPED S.C: no corpus", "FAILED S.B", "no", "1 passed, 1 failed, 1 skipped"])

    def test_python_cases_are_counted(self):
        code, lines = self.tally([("golden_x", "fail", PYTHON)])
        self.assertEqual(code, 1)
        self.assertEqual(lines[0], "SKIPPED  test_b (m.T): 'no golden folder'")
        self.assertEqual(lines[1], "FAILED   golden_x: test_c (m.T)")
        self.assertEqual(lines[-2].strip(), "AssertionError: 1 != 2")
        self.assertEqual(lines[-1], "1 passed, 1 failed, 1 skipped")

    def test_cases_of_the_page_are_counted(self):
        lines = " Test Files  2 passed (2)\n      Tests  1 failed | 47 passed (48)\n"
        self.assertEqual(self.tally([("web_unit", "fail", lines)])[1],
                         ["FAILED   web_unit (a case of it)", "47 passed, 1 failed"])
        said = ("⎯⎯ Failed Tests 1 ⎯⎯\n\n FAIL  a.test.ts &gt; a table &gt; sorts\n"
                "Error: too late\n ❯ a.test.ts:3:1\n⎯⎯[1/1]⎯\n")
        _, told = self.tally([("browser", "fail", said + lines)])
        self.assertEqual(told[0], "FAILED   browser: a.test.ts > a table > sorts")
        self.assertEqual([line.strip() for line in told[1:]],
                         ["Error: too late", "❯ a.test.ts:3:1", "47 passed, 1 failed"])
        lines = "      Tests  90 passed | 13 skipped (103)\n"
        self.assertEqual(self.tally([("browser", "run", lines)])[1][-1], "90 passed, 0 failed, 13 skipped")

    def test_what_passed_at_a_second_attempt_is_told(self):
        said = "RETRIED  a.test.ts &gt; sorts: too late\n      Tests  3 passed (3)\n"
        self.assertEqual(self.tally([("browser", "run", said)]),
                         (0, ["RETRIED  browser: a.test.ts > sorts: too late", "3 passed, 0 failed"]))

    def test_a_crash_counts_though_every_case_passed(self):
        passing = GTEST.replace('<failure message="no"/>', "")
        code, lines = self.tally([("unit_base", "fail", "AddressSanitizer")], passing)
        self.assertEqual((code, lines[1], lines[2].strip()), (1, "FAILED   unit_base", "AddressSanitizer"))

    def test_a_missing_program_is_a_failure(self):
        code, lines = self.tally([("unit_base", "fail", "")])
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(self.tally([]), (1, ["0 passed, 0 failed"]))


if __name__ == "__main__":
    unittest.main()
