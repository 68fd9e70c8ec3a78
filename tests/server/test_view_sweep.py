#!/usr/bin/env python3
"""The folder of a sweep in the viewer: what it shows is what `opsight sweep` says."""

import concurrent.futures
import json
import os
import shutil
import tempfile
import unittest

import api_schema
import opsight_cli
import tiny_trace
from view_server import Server

API = api_schema.Api()


def rows_of(table):
    keys = [column["key"] for column in table["columns"]]
    return [dict(zip(keys, row)) for row in table["rows"]]


class SweepInTheViewer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.addCleanup(shutil.rmtree, self.folder)
        self.runs = os.path.join(self.folder, "runs")
        os.mkdir(self.runs)
        for batch in (1, 2, 4, 8):
            for kind in ("a", "b"):
                trace = tiny_trace.trace(steps=6)
                for event in trace["traceEvents"]:
                    for key in ("ts", "dur"):
                        if key in event:
                            event[key] *= (6 + batch) * (2 if kind == "b" else 1)
                path = os.path.join(self.runs, f"{kind}{batch}.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(trace, file)
                opsight_cli.run("import", path, "-o", path.removesuffix(".json") + ".opsight")
        self.sweep = os.path.join(self.folder, "sweep")
        opsight_cli.run("sweep", "--vary", "batch=1,2,4,8", "--vary", "kind=a,b", "-o", self.sweep,
                        "--from", os.path.join(self.runs, "{kind}{batch}.opsight"))

    def asked(self, server, **query):
        answer = server.json("/sweeps/0", **query)
        API.check("GET", "/api/v1/sweeps/0", 200, answer)
        return answer

    def same(self, answer, *options):
        said = json.loads(opsight_cli.run("sweep", self.sweep, "--format", "json", *options).stdout)
        self.assertEqual(answer["notes"], said.pop("notes"))
        for table in answer["tables"]:
            if table["name"] == "sweep":
                self.assertEqual(rows_of(table), [{key: said.pop(key) for key in ("x", "work", "items", "times_of")}])
            else:
                self.assertEqual(rows_of(table), said.pop(table["name"]), table["name"])
        self.assertEqual(said, {})

    def test_answers_are_those_of_the_command_line(self):
        with Server(self.sweep) as server:
            listed = server.json("/profiles")
            self.assertEqual((listed["sweeps"], listed["profiles"]), ([{"id": "0", "name": "sweep"}], []))
            answer = self.asked(server)
            self.same(answer)
            self.assertEqual((answer["parameters"], answer["x"], answer["items"]), (["batch"], "batch", "batch"))
            self.assertEqual([(each["name"], each["x"], each["series"]) for each in answer["points"][:3]],
                             [("batch=1,kind=a", 1, "kind=a"), ("batch=1,kind=b", 1, "kind=b"),
                              ("batch=2,kind=a", 2, "kind=a")])
            self.assertEqual([each["profiles"] for each in answer["points"]], [[]] * 8)
            self.same(self.asked(server, items="batch*3", work="batch^2", max_latency_ns=1_500_000),
                      "--items", "batch*3", "--work", "batch^2", "--max-latency", "1500us")

    def test_two_sweeps_are_compared_as_on_the_command_line(self):
        other = os.path.join(self.folder, "other")
        opsight_cli.run("sweep", "--vary", "batch=2,4,8", "--vary", "kind=b", "-o", other,
                        "--from", os.path.join(self.runs, "{kind}{batch}.opsight"))
        apart = os.path.join(self.folder, "apart")
        opsight_cli.run("sweep", "--vary", "size=2", "-o", apart, "--from", os.path.join(self.runs, "a{size}.opsight"))
        with Server(self.sweep, other, apart) as server:
            for query, options in (({}, ()), ({"x": "batch", "work": "batch^2"}, ("--x", "batch", "--work", "batch^2"))):
                answer = server.json("/sweeps/1/changes", base="0", **query)
                API.check("GET", "/api/v1/sweeps/{sweep}/changes", 200, answer)
                said = json.loads(opsight_cli.run("sweep", "--compare", self.sweep, other, "--format", "json",
                                                  *options).stdout)
                self.assertEqual((answer["base"], answer["notes"]), ("sweep", said.pop("notes")))
                self.assertEqual(len(said["points"]), 3)
                for table in answer["tables"]:
                    self.assertEqual(rows_of(table), said.pop(table["name"]), table["name"])
                self.assertEqual([rows for rows in said.values() if rows], [])
            for path, query, expected, words in (
                    ("/sweeps/1/changes", {}, 400, "no sweep to compare with"),
                    ("/sweeps/1/changes", {"base": "7"}, 404, "there is no sweep '7'"),
                    ("/sweeps/7/changes", {"base": "0"}, 404, "there is no sweep '7'"),
                    ("/sweeps/2/changes", {"base": "0"}, 400, "sweep, apart: have no measured point"),
                    ("/sweeps/1/changes", {"base": "0", "x": "kind"}, 400, "not all of its values are numbers")):
                status, error = server.error(path, **query)
                self.assertEqual(status, expected, error)
                self.assertIn(words, error["message"])
            # Each reads two sweeps, and two may be read at once: none waits for a turn that it holds itself.
            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                same = list(pool.map(lambda _: server.json("/sweeps/1/changes", base="0")["notes"], range(12)))
            self.assertEqual(same, same[:1] * 12)
            with open(os.path.join(self.sweep, "sweep.json"), "w", encoding="utf-8") as file:
                file.write("{}")
            status, error = server.error("/sweeps/1/changes", base="0")
            self.assertEqual((status, error["message"]), (422, "sweep: is not the plan of a sweep"))

    def test_a_point_knows_the_profile_that_it_was_taken_from(self):
        with Server(self.sweep, self.runs) as server:
            names = {each["name"]: each["profiles"] for each in self.asked(server)["points"]}
            self.assertEqual(names["batch=2,kind=b"], [{"run": 1, "profile": "b2"}])
            self.assertTrue(all(names.values()))

    def test_what_it_recorded_is_shown_with_it(self):
        # As a sweep that ran its program leaves it: the profiles lie in the folder itself.
        plan = os.path.join(self.sweep, "sweep.json")
        with open(plan, encoding="utf-8") as file:
            told = json.load(file)
        told.update(imported=False, command=["true", "{batch}{kind}"])
        with open(plan, "w", encoding="utf-8") as file:
            json.dump(told, file)
        shutil.copy(os.path.join(self.runs, "a4.opsight"), os.path.join(self.sweep, "runs", "batch=4,kind=a.1.opsight"))
        with Server(self.sweep) as server:
            self.assertEqual([each["name"] for each in server.json("/profiles")["profiles"]], ["batch=4,kind=a.1"])
            found = {each["name"]: each["profiles"] for each in self.asked(server)["points"]}
            self.assertEqual(found["batch=4,kind=a"], [{"run": 1, "profile": "batch=4,kind=a.1"}])
            self.assertEqual(found["batch=4,kind=b"], [])

    def test_what_is_wrong_is_said(self):
        with Server(self.sweep) as server:
            for query, words in (({"x": "kind"}, "not all of its values are numbers"), ({"items": "nothing"}, "nothing"),
                                 ({"max_latency_ns": "-1"}, "'-1' is not a value"),
                                 ({"max_memory_bytes": "nan"}, "'nan' is not a value")):
                status, error = server.error("/sweeps/0", **query)
                self.assertEqual(status, 400, error)
                self.assertIn(words, error["message"])
            self.assertEqual(server.error("/sweeps/1")[0], 404)
            with open(os.path.join(self.sweep, "sweep.json"), "w", encoding="utf-8") as file:
                file.write("{}")
            status, error = server.error("/sweeps/0")
            self.assertEqual((status, error["message"]), (422, "sweep: is not the plan of a sweep"))
        failed = opsight_cli.run("view", "--no-open", "-p", "0", self.sweep, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("is not the plan of a sweep", failed.stderr)

    def test_another_tools_file_of_that_name_hides_no_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(self.runs, "a1.opsight"), folder)
            with open(os.path.join(folder, "sweep.json"), "w", encoding="utf-8") as file:
                file.write('{"method": "bayes"}')
            with Server(folder) as server:
                shown = server.json("/profiles")
                self.assertEqual((len(shown["profiles"]), shown["sweeps"]), (1, []))

    def test_a_viewer_that_may_not_write_keeps_nothing(self):
        kept = os.path.join(self.sweep, "runs", "batch=1,kind=a.1.json")
        shutil.copy(os.path.join(self.runs, "a1.opsight"), kept.removesuffix("json") + "opsight")
        with open(kept, encoding="utf-8") as file:
            told = json.load(file)
        told["made_by"] = "another"
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(told, file)
        for options, made_anew in ((["--read-only"], False), ([], True)):
            with Server(self.sweep, options=("--no-open", "-p", "0", *options)) as server:
                self.asked(server)
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["made_by"] != "another", made_anew)


if __name__ == "__main__":
    unittest.main()
