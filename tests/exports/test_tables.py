"""opsight export of tables: CSV is read back by Python, Parquet by DuckDB alone, workbooks by openpyxl."""

import csv
import os
import unittest

import duckdb_file
import odd_trace
import opsight_cli
import tiny_trace

try:
    import openpyxl
except ImportError:
    openpyxl = None


def tables(profile):
    return [row.name for row in profile.rows("SHOW TABLES")]


def count(profile, table):
    return profile.value(f'SELECT count(*) FROM "{table}"')


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = opsight_cli.temporary_folder()
        cls.tiny = opsight_cli.Profile(tiny_trace.write(cls.folder))
        cls.odd = opsight_cli.Profile(odd_trace.write(cls.folder))

    def export(self, profile, form, name):
        path = os.path.join(self.folder, name)
        opsight_cli.run("export", profile.path, "--format", form, "-o", path)
        return path

    def test_csv_has_every_row_of_every_table(self):
        for number, profile in enumerate((self.tiny, self.odd)):
            folder = self.export(profile, "csv", f"csv{number}")
            self.assertEqual(sorted(os.listdir(folder)), sorted(table + ".csv" for table in tables(profile)))
            for table in tables(profile):
                with open(os.path.join(folder, table + ".csv"), encoding="utf-8", newline="") as file:
                    head, *rows = csv.reader(file)
                self.assertEqual(len(rows), count(profile, table), table)
                self.assertTrue(all(len(row) == len(head) for row in rows), table)
            with open(os.path.join(folder, "ops.csv"), encoding="utf-8", newline="") as file:
                names = sorted(row["name"] for row in csv.DictReader(file))
            self.assertEqual(names, sorted(row.name or "" for row in profile.rows("SELECT name FROM ops")))

    def test_parquet_is_the_same_to_another_database(self):
        folder = self.export(self.odd, "parquet", "parquet")
        for table in tables(self.odd):
            path = os.path.join(folder, table + ".parquet").replace("'", "''")
            duckdb_file.execute(os.path.join(self.folder, "other.duckdb"), f"""
                SELECT CASE WHEN count(*) = {count(self.odd, table)} THEN 1 ELSE error('{table}') END
                FROM read_parquet('{path}')""")
        wanted = self.odd.value("SELECT sum(dur_ns + hash(name) % 1000)::BIGINT FROM kernels")
        path = os.path.join(folder, "kernels.parquet").replace("'", "''")
        duckdb_file.execute(os.path.join(self.folder, "other.duckdb"), f"""
            SELECT CASE WHEN sum(dur_ns + hash(name) % 1000)::BIGINT = {wanted} THEN 1 ELSE error('kernels') END
            FROM read_parquet('{path}')""")

    def test_files_that_are_there_stay(self):
        folder = os.path.join(self.folder, "kept")
        os.mkdir(folder)
        kept = os.path.join(folder, "ops.csv")
        with open(kept, "w", encoding="utf-8") as file: file.write("mine")
        done = opsight_cli.run("export", self.tiny.path, "--format", "csv", "-o", folder, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(os.listdir(folder), ["ops.csv"], "nothing is written beside it")
        opsight_cli.run("export", self.tiny.path, "--format", "csv", "-o", folder, "--force")
        self.assertGreater(os.path.getsize(kept), 4)

    def test_a_rank_and_a_range_of_iterations(self):
        two = opsight_cli.Profile(tiny_trace.write(self.folder, "two0.json"), tiny_trace.write(self.folder, "two1.json"))
        self.assertEqual(two.value("SELECT count(*) FROM ranks"), 2)
        folder = os.path.join(self.folder, "part")
        opsight_cli.run("export", two.path, "--format", "csv", "-o", folder, "--rank", "1", "--iter-start", "1",
                        "--iter-stop", "2")
        wanted = {"kernels": "rank = 1 AND iteration BETWEEN 1 AND 2", "iterations": "rank = 1 AND iteration BETWEEN 1 AND 2",
                  "streams": "rank = 1", "op_identities": "true"}  # of ops there is no rank
        for table, rows_of in wanted.items():
            with open(os.path.join(folder, table + ".csv"), encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), two.value(f"SELECT count(*) FROM {table} WHERE {rows_of}"), table)
            self.assertTrue(all(row.get("rank", "1") == "1" for row in rows), table)
        with open(os.path.join(folder, "kernels.csv"), encoding="utf-8", newline="") as file:
            self.assertEqual(len(list(csv.DictReader(file))), 4)

    @unittest.skipIf(openpyxl is None, "no openpyxl (Debian: python3-openpyxl)")
    def test_a_workbook_has_a_sheet_for_each_report(self):
        path = self.export(self.tiny, "xlsx", "tiny.xlsx")
        book = openpyxl.load_workbook(path)
        rows = {name: list(book[name].iter_rows(values_only=True)) for name in book.sheetnames}
        self.assertEqual(len(rows["kernel_name"]) - 1, len(self.tiny.report("kernel_name")["kernel_name"]))
        head, first = rows["kernel_name"][:2]
        told = dict(zip(head, first))
        wanted = self.tiny.report("kernel_name")["kernel_name"][0]
        self.assertIn(wanted["kernel_name"], told.values())
        self.assertIn(wanted["total_gpu_time_ns"], told.values(), "numbers are numbers")
        system = {row[0]: row[1] for row in rows["summary system"]}
        self.assertEqual(system["GPUs Used"], 1)
        self.assertEqual(book["kernel_name"].freeze_panes, "A2")
        self.assertIn("critical_path", book.sheetnames)
        # Kernels one by one are written as they are read.
        head, *kernels = rows["iteration kernels"]
        wanted = self.tiny.report("iteration")["iteration"]["kernels"]
        self.assertGreater(len(wanted), 0)
        self.assertEqual([row[head.index("Kernel Name")] for row in kernels], [row["kernel_name"] for row in wanted])
        self.assertGreater(book["iteration kernels"].column_dimensions["F"].width, 15, "as wide as names are")


if __name__ == "__main__":
    unittest.main()
