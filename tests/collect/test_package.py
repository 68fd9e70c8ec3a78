"""The package opsight as a program uses it: profiles as tables, recording, and the magic of notebooks."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
import zipfile

import duckdb_file
import opsight_cli
import tiny_trace
from test_profile import LACKS, PYTHON

PACKAGE = pathlib.Path(__file__).absolute().parents[2] / "python"
sys.path.insert(0, str(PACKAGE))
os.environ["OPSIGHT_PROGRAM"] = os.path.abspath(opsight_cli.PROGRAM)

import opsight  # noqa: E402

HAS = {name: importlib.util.find_spec(name) is not None for name in ("pandas", "pyarrow", "duckdb")}


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = opsight_cli.Profile(tiny_trace.write(opsight_cli.temporary_folder()))
        cls.run_ = opsight.open(cls.profile.path)

    def test_rows_are_those_of_the_program(self):
        for rows, table in ((self.run_.ops("rows"), "ops"), (self.run_.kernels("rows"), "kernels"),
                            (self.run_.iterations("rows"), "iterations")):
            wanted = [vars(row) for row in self.profile.rows(f"FROM {table}")]
            self.assertEqual(len(rows), len(wanted))
            self.assertEqual(sorted(map(repr, rows)), sorted(map(repr, wanted)))
        layers = self.run_.layers("rows")
        self.assertEqual(layers, self.profile.report("group_op")["group_op"])

    def test_sql(self):
        (row,) = self.run_.sql("SELECT count(*) AS n, NULL AS nothing FROM ops", to="rows")
        self.assertEqual(row, {"n": self.profile.value("SELECT count(*) FROM ops"), "nothing": None})
        with self.assertRaises(Exception):
            self.run_.sql("SELECT no_such FROM ops")
        with self.assertRaises(Exception):
            self.run_.sql("FROM read_text('/etc/passwd')")
        with self.assertRaises(Exception):
            self.run_.sql("CREATE TABLE t AS SELECT 1")
        self.assertRaises(ValueError, self.run_.sql, "SELECT 1", to="excel")

    @unittest.skipUnless(HAS["pandas"], "no pandas (Debian: python3-pandas)")
    def test_pandas(self):
        kernels = self.run_.kernels()
        self.assertEqual(int(kernels["dur_ns"].sum()), self.profile.value("SELECT sum(dur_ns)::BIGINT FROM kernels"))
        self.assertEqual(str(kernels["dur_ns"].dtype), "int64")
        none = self.run_.sql("SELECT name, dur_ns FROM kernels WHERE false")
        self.assertEqual((len(none), list(none.columns)), (0, ["name", "dur_ns"]))
        types = self.run_.report("op_type")
        self.assertEqual(int(types["calls"].sum()), self.profile.value("SELECT count(*) FROM ops"))
        summary = self.run_.report()
        self.assertIn("all_ops", summary)

    @unittest.skipUnless(HAS["pyarrow"], "no pyarrow")
    def test_arrow(self):
        table = self.run_.kernels(to="arrow")
        self.assertEqual(table.num_rows, self.profile.value("SELECT count(*) FROM kernels"))

    def test_the_locks_for_the_module_duckdb_are_those_of_duckdb(self):
        """The module need not be here: the library takes the same settings."""
        from opsight import reading

        settings = {**reading._LOCKED, "access_mode": "READ_ONLY"}
        duckdb_file.execute(self.profile.path, "SELECT count(*) FROM kernels", settings)
        for query in ("FROM read_text('/etc/passwd')", "SET enable_external_access = true", "ATTACH 'other.duckdb'",
                      "CREATE TABLE t AS SELECT 1", "INSTALL httpfs", "COPY (SELECT 1) TO 'other.csv'"):
            with self.assertRaises(AssertionError, msg=query):
                duckdb_file.execute(self.profile.path, query, settings)

    def test_what_it_says_of_itself(self):
        self.assertEqual(self.run_.info()["iterations"]["total"], 4)
        self.assertTrue(all("title" in finding for finding in self.run_.findings()))
        shown = self.run_._repr_html_()
        self.assertTrue(shown.startswith("<iframe sandbox") and "aten::linear" in shown)
        self.assertNotIn("<script", shown)

    def test_bad_files(self):
        self.assertRaises(FileNotFoundError, opsight.open, "no_such.opsight")
        bad = os.path.join(opsight_cli.temporary_folder(), "bad.opsight")
        with open(bad, "w", encoding="utf-8") as file: file.write("no profile")
        with self.assertRaises(opsight.OpsightError) as caught:
            opsight.open(bad)
        self.assertIn("bad.opsight", str(caught.exception))

    def test_what_begins_with_a_dash_is_a_file_and_a_statement(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.profile.path, os.path.join(folder, "--json"))
            before = os.getcwd()
            os.chdir(folder)
            try:
                run = opsight.open("--json")
                self.assertEqual(run.sql("-- a comment\nSELECT 1 AS one", to="rows"), [{"one": 1}])
                self.assertRaisesRegex(opsight.OpsightError, "the statement is empty", run._from_program, "--help")
                self.assertIn("<html", run.html())
            finally:
                os.chdir(before)

    def test_errors_are_sentences(self):
        with self.assertRaisesRegex(opsight.OpsightError, r"^/dev/null: is not a regular file, .* \(make a profile with"):
            opsight.open("/dev/null")

    def test_the_magic_shows_a_run_its_rows_and_refuses_nothing_at_all(self):
        magics = {}
        shell = types.SimpleNamespace(register_magic_function=lambda f, kind, name: magics.update({(kind, name): f}))
        opsight.load_ipython_extension(shell)
        magic = magics["line_cell", "opsight"]
        self.assertIn("<iframe", magic(self.profile.path)._repr_html_())
        self.assertEqual(len(magic(f"{self.profile.path} FROM iterations")), 4)
        self.assertRaises(opsight.OpsightError, magic, "")

    def test_the_wheel_has_the_types(self):
        sys.path.insert(0, str(PACKAGE / "packaging"))
        import opsight_wheel

        with tempfile.TemporaryDirectory() as folder:
            wheel = zipfile.ZipFile(os.path.join(folder, opsight_wheel.build_wheel(folder)))
            self.assertLessEqual({"opsight/py.typed", "opsight/__init__.pyi", "opsight/reading.py"}, set(wheel.namelist()))


RECORD = """
    import opsight, torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
        def forward(self, x): return self.body(x)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    def step():
        optimizer.zero_grad(); net(torch.randn(4, 8)).sum().backward(); optimizer.step()
    step()
    with opsight.profile({path!r}) as recording:
        for _ in range(3): step()
    step()
    run = recording.result
    print(run.sql("SELECT count(*) AS n FROM ops WHERE name = 'aten::addmm' OR name = 'aten::linear'", to="rows")[0]["n"],
          len(run.iterations("rows")), run.layers("rows") != [])
    try:
        with opsight.profile({path!r}): pass
    except opsight.OpsightError as problem: print(problem)
"""


@unittest.skipIf(LACKS, LACKS)
class Recording(unittest.TestCase):
    def test_a_part_of_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "part.opsight")
            script = os.path.join(folder, "script.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(textwrap.dedent(RECORD).replace("{path!r}", repr(path)))
            done = subprocess.run([PYTHON, script], capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "PYTHONPATH": str(PACKAGE)})
            self.assertEqual(done.returncode, 0, done.stderr)
            first, second = done.stdout.splitlines()
            ops, iterations, layers = first.split()
            self.assertGreaterEqual(int(ops), 6)
            self.assertLess(int(ops), 24, "what is outside of the with is not recorded")
            self.assertEqual((iterations, layers), ("3", "True"))
            self.assertIn("exists already", second)


if __name__ == "__main__":
    unittest.main()
