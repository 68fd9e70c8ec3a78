"""Profile files of somebody who means harm: no command and no address of the viewer runs what is in them."""

import json
import os
import shutil
import tempfile
import unittest
import urllib.parse

import duckdb_file
import opsight_cli
import tiny_trace
import view_server

SECRET = "the-secret-of-another-file"
VALUES = {"name": "detailed", "begin": 0, "end": 50000, "width": 100, "track": 0, "span": 0, "q": "aten", "op": 0, "layer": 0,
          "id": 1, "with": 0}


def routes():
    """What the viewer answers about a profile, from its description, with what each address needs. What is kept beside
    the file is not asked of it."""
    with open(os.path.join(os.path.dirname(__file__), "../../docs/openapi.json"), encoding="utf-8") as file:
        document = json.load(file)
    shared = document["components"]["parameters"]
    for path, operations in document["paths"].items():
        if "{id}" not in path or "get" not in operations or "aggregations" in path:
            continue
        named = [shared[each["$ref"].rsplit("/", 1)[1]] if "$ref" in each else each
                 for each in operations["get"].get("parameters", []) + operations.get("parameters", [])]
        needed = {each["name"]: VALUES[each["name"]] for each in named
                  if each["in"] == "query" and each["name"] in VALUES}
        yield path.format(**VALUES) + ("?" + urllib.parse.urlencode(needed) if needed else "")


ROUTES = list(routes())


class HostileProfiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        trace = tiny_trace.write(cls.folder)
        cls.good = os.path.join(cls.folder, "good.opsight")
        opsight_cli.run("import", trace, "-o", cls.good)
        cls.secret = os.path.join(cls.folder, "secret.txt")
        with open(cls.secret, "w", encoding="utf-8") as file:
            file.write(SECRET)
        cls.written = os.path.join(cls.folder, "written")
        cls.version = opsight_cli.run("sql", cls.good, "SELECT value FROM meta WHERE key = 'schema_version'",
                                      "--format", "csv").stdout.split()[1]

    def changed(self, sql):
        path = os.path.join(self.folder, "changed.opsight")
        shutil.copy(self.good, path)
        duckdb_file.execute(path, sql)
        return path

    def hostile(self):
        """A name and the SQL of each kind of program that a file can hold."""
        facts = (f"ALTER TABLE raw.meta RENAME TO old; CREATE VIEW raw.meta AS SELECT 'producer' AS key, content AS value "
                 f"FROM read_text('{self.secret}') UNION ALL SELECT 'schema_version', '{self.version}' UNION ALL "
                 "SELECT key, value FROM raw.old WHERE key NOT IN ('producer', 'schema_version')")
        log = (f"CREATE OR REPLACE VIEW raw.meta AS SELECT key, value FROM raw.old, (SELECT write_log('x') FROM "
               f"enable_logging(storage := 'file', storage_path := '{self.written}'))")
        return [("a view that reads a file", facts),
                ("a view that writes files", "ALTER TABLE raw.meta RENAME TO old; " + log),
                ("a macro", f"CREATE MACRO main.sum(x) AS (SELECT content FROM read_text('{self.secret}'))"),
                ("a table macro", "CREATE MACRO main.duckdb_views() AS TABLE SELECT 1 LIMIT 0"),
                ("a view of a view", f"CREATE VIEW main.a AS FROM read_text('{self.secret}'); CREATE OR REPLACE VIEW "
                                     "main.meta AS SELECT content AS key, content AS value FROM main.a")]

    @staticmethod
    def export_formats():
        listed = opsight_cli.run("help", "export").stdout.split("Formats:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines()]

    def commands(self, path):
        out = os.path.join(self.folder, "out")
        return [["info", path], ["info", path, "--json"], ["report", path], ["report", path, "--report", "all"],
                ["report", path, "--format", "html", "-o", out + ".html", "--force"],
                ["report", path, "--style", "dlprof", "--output", out], ["stats", path], ["analyze", path],
                ["compare", path, self.good], ["compare", self.good, path], ["whatif", path],
                *(["export", path, "--format", form, "-o", f"{out}.{form}", "--force"] for form in self.export_formats()),
                ["baseline", "save", "--dir", out, "hostile", path],
                ["sql", path, "FROM meta"], ["import", path, "--model", os.path.join(self.folder, "none.onnx")],
                ["view", path, "--no-open", "-p", "0"]]

    def test_no_command_runs_what_is_in_a_file(self):
        for name, sql in self.hostile():
            path = self.changed(sql)
            for command in self.commands(path):
                with self.subTest(name, command=command[:2]):
                    done = opsight_cli.run(*command, check=False, timeout=120)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertNotIn(SECRET, done.stdout + done.stderr)
                    self.assertFalse(os.path.exists(self.written))

    def test_no_address_runs_what_is_in_a_file(self):
        for name, sql in self.hostile():
            path = self.changed(sql)
            with view_server.Server(self.good, path) as server:
                for route in ROUTES:
                    with self.subTest(name, route=route):
                        status, _, body = server.ask(route)
                        self.assertEqual(status, 422, body)
                        self.assertNotIn(SECRET.encode(), body)
                status, _, body = server.ask("/api/v1/profiles")
                states = [each["state"] for each in json.loads(body)["profiles"]]
                self.assertEqual((status, states), (200, ["ok", "error"]))
                self.assertNotIn(SECRET.encode(), body)
                self.assertEqual(server.ask("/api/v1/profiles/0/info")[0], 200)
                self.assertFalse(os.path.exists(self.written))

    def test_questions_of_the_user_reach_no_other_file_either(self):
        for sql in (f"FROM read_text('{self.secret}')", f"ATTACH '{self.written}'", f"COPY (SELECT 1) TO '{self.written}'"):
            done = opsight_cli.run("sql", self.good, sql, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertNotIn(SECRET, done.stdout + done.stderr)
        self.assertFalse(os.path.exists(self.written))


if __name__ == "__main__":
    unittest.main()
