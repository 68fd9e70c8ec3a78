"""The check of SQL finds statements in code, numbers in place of names, and windows over all rows wherever they stand."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_sql.py"


class CheckSql(unittest.TestCase):
    def check(self, files):
        """Exit code and output for {path below src: text}."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, "src", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_windows_over_all_rows(self):
        for window in ("OVER ()", "OVER()", "OVER ( )"):
            for name, text in (("query/a/sql/q.sql", f"SELECT count(*) {window} FROM t\n"),
                               ("fleet/questions/sql/q.sql", f"SELECT 1,\n sum(a) {window} FROM t\n"),
                               ("advise/rules/r.cpp", f'.query = "SELECT sum(a) {window} FROM t",\n')):
                code, output = self.check({name: text})
                self.assertEqual(code, 1, (name, window))
                self.assertIn(f"src/{name}:", output)

    def test_other_windows_and_what_is_said_of_them_are_fine(self):
        code, output = self.check({"query/a/sql/q.sql": "-- Not count(*) OVER ().\nSELECT sum(a) OVER (PARTITION BY b) FROM t\n",
                                   "query/ask/q.cpp": "// Not count(*) OVER (): it fails.\nint i;\n"})
        self.assertEqual((code, output), (0, "\n"))

    def test_statements_in_code_and_numbers_for_names(self):
        code, output = self.check({"query/a/b.cpp": 'f("SELECT a FROM raw.t");\n',
                                   "query/a/sql/q.sql": "SELECT a FROM t WHERE kind = 3\n"})
        self.assertEqual(code, 1)
        self.assertIn("b.cpp:1: SQL in C++", output)
        self.assertIn("q.sql:1: a number in place of a name", output)


if __name__ == "__main__":
    unittest.main()
