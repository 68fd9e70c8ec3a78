"""The table of ./dev bench judges goals both ways and fails when a benchmark did."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "bench_table.py"


class BenchTable(unittest.TestCase):
    def table(self, *rows):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write("".join("\t".join(("bench",) + row) + "\n" for row in rows))
            file.flush()
            done = subprocess.run([sys.executable, SCRIPT, file.name], capture_output=True, text=True)
            return done.returncode, done.stdout.splitlines()[1:]

    def test_goals_are_judged(self):
        code, lines = self.table(("speed", "0.61", "of bare", ">= 0.5"), ("memory", "0.7", "of input", "<= 0.6"),
                                 ("count", "3", "", "-"))
        self.assertEqual(code, 0)
        self.assertEqual([line.split()[-1] for line in lines], ["met", "MISSED", "-"])

    def test_a_failed_benchmark_fails(self):
        code, lines = self.table(("tests/bench/bench_x.sh", "failed", "", "-"))
        self.assertEqual(code, 1)
        self.assertTrue(lines[0].endswith("FAILED"))

    def test_no_result_fails(self):
        self.assertEqual(self.table()[0], 1)


if __name__ == "__main__":
    unittest.main()
