#!/usr/bin/env python3
"""A store of runs in the viewer: what it shows is what `opsight fleet` says, whatever becomes of the store."""

import glob
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


class FleetInTheViewer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = os.path.join(self.folder, "fleet")
        self.profiles = [self.profile(f"run{i}", 4 + i) for i in range(3)]
        for i, profile in enumerate(self.profiles):
            self.push(profile, "--label", f"model={'gpt' if i else 'bert'}", "--label", f"step={i}")

    def profile(self, name, steps):
        path = os.path.join(self.folder, name + ".opsight")
        opsight_cli.run("import", tiny_trace.write(self.folder, name + ".json", steps), "-o", path)
        return path

    def push(self, *arguments):
        opsight_cli.run("fleet", "push", *arguments, "--to", self.store)

    def told(self, *arguments):
        return json.loads(opsight_cli.run("fleet", *arguments, "--json").stdout)

    def asked(self, server, path, **query):
        answer = server.json("/stores/0/" + path, **query)
        API.check("GET", "/api/v1/stores/0/" + path, 200, answer)
        return answer

    def test_reports_are_those_of_the_command_line(self):
        with Server(self.store) as server:
            self.assertEqual(server.json("/profiles")["stores"], [{"id": "0", "name": "fleet"}])
            self.assertEqual(server.json("/profiles")["profiles"], [])
            for name in ("runs", "labels", "ranks", "hosts", "iterations", "links", "imbalance", "ops", "kernels",
                         "layers", "collectives", "tensor_cores", "findings", "devices"):
                for given in ([], ["model=gpt"], ["model=gpt", "step=2"]):
                    options = [part for label in given for part in ("--label", label)]
                    said = self.told("report", self.store, "--report", name, *options)
                    answer = self.asked(server, "reports/" + name, label=given)
                    self.assertEqual(rows_of(answer["tables"][0]), said, (name, given))
            self.assertGreater(len(rows_of(self.asked(server, "reports/ops")["tables"][0])), 0)
            trend = self.asked(server, "trend")
            said = self.told("trend", self.store)
            self.assertEqual([rows_of(table) for table in trend["tables"]], [said["changes"], said["runs"]])
            labels = {each["run"]: {(label["label"], label["value"]) for label in each["labels"]}
                      for each in self.asked(server, "labels")["runs"]}
            self.assertEqual(sorted(labels.values(), key=str),
                             sorted([{("model", "bert"), ("step", "0")}, {("model", "gpt"), ("step", "1")},
                                     {("model", "gpt"), ("step", "2")}], key=str))

    def test_a_comparison_is_that_of_the_command_line(self):
        ids = {row["name"]: row["run"] for row in self.told("list", self.store)}
        with Server(self.store) as server:
            for base, new in ((["model=bert"], ["model=gpt"]), (["run0"], [ids["run2"]]),
                              (["model=gpt", "step=1"], ["run0", "run2"])):
                sides = [part for name, words in (("--base", base), ("--new", new)) for word in words
                         for part in (name, word)]
                said = self.told("compare", self.store, *sides)
                answer = self.asked(server, "compare", base=base, new=new)
                self.assertEqual({table["name"]: rows_of(table) for table in answer["tables"]},
                                 {name: said[name] for name in ("times", "shares", "ops")}, (base, new))
                self.assertEqual(answer["notes"], said["notes"])
            for query, wanted, words in (({"base": "run0"}, 400, "'new' is not given"),
                                         ({"new": "run0"}, 400, "'base' is not given"),
                                         ({"base": "model=none", "new": "run0"}, 404, "no run has all of these labels"),
                                         ({"base": "run0", "new": "nobody"}, 404, "no run 'nobody'"),
                                         ({"base": "=x", "new": "run0"}, 400, "label '=x'"),
                                         ({"base": "run0", "new": "run1", "run": "run2"}, 400, "no parameter 'run'")):
                status, error = server.error("/stores/0/compare", **query)
                self.assertEqual(status, wanted, (query, error))
                self.assertIn(words, error["message"])

    def test_a_run_knows_its_profile_by_what_was_recorded(self):
        elsewhere = os.path.join(self.folder, "renamed.opsight")
        os.rename(self.profiles[1], elsewhere)
        other = self.profile("other", 9)
        with Server(other, self.store, elsewhere) as server:
            run = next(row["run"] for row in self.told("list", self.store) if row["name"] == "run1")
            found = self.asked(server, "profiles")["runs"]
            self.assertEqual(found, [{"run": run, "profile": "renamed"}])
            self.assertEqual(self.asked(server, "profiles", label="model=bert")["runs"], [])

    def test_a_store_that_grows_or_is_damaged_is_told_as_it_is(self):
        with Server(self.store) as server:
            self.assertEqual(len(self.asked(server, "reports/runs")["tables"][0]["rows"]), 3)
            self.push(self.profile("later", 11))
            self.assertEqual(len(self.asked(server, "reports/runs")["tables"][0]["rows"]), 4)
            for file in glob.glob(os.path.join(self.store, "ops", "*", "*.parquet")):
                with open(file, "r+b") as opened:
                    opened.truncate(20)
            status, error = server.error("/stores/0/reports/ops")
            self.assertEqual(status, 422, error)
            self.assertIn("bytes", error["message"])
            self.assertEqual(len(self.asked(server, "reports/runs")["tables"][0]["rows"]), 4)
            shutil.rmtree(self.store)
            status, error = server.error("/stores/0/reports/runs")
            self.assertEqual((status, error["message"]), (422, "fleet: no such folder"))

    def test_what_is_not_there_is_said(self):
        with Server(self.store) as server:
            for path, query, wanted, words in (
                    ("/stores/1/reports/runs", {}, 404, "no store '1'"),
                    ("/stores/x/reports/runs", {}, 404, "no store 'x'"),
                    ("/stores/0/reports/nothing", {}, 404, "no report 'nothing'"),
                    ("/stores/0/reports/runs", {"label": "model=none"}, 404, "no run has all of these labels"),
                    ("/stores/0/reports/runs", {"label": "model"}, 400, "model"),
                    ("/stores/0/reports/runs", {"run": "0000000000"}, 404, "no run '0000000000'"),
                    ("/stores/0/trend", {"label": "step=1"}, 422, "a trend is of 2 to"),
                    ("/stores/0/reports/runs", {"sort": "name"}, 400, "no parameter 'sort'")):
                status, error = server.error(path, **query)
                self.assertEqual(status, wanted, (path, error))
                self.assertIn(words, error["message"])
        with Server(self.profiles[0]) as server:
            self.assertEqual(server.error("/stores/0/reports/runs")[0], 404)

    def test_a_store_that_cannot_be_shown_is_told(self):
        mark = os.path.join(self.store, "opsight-store.json")
        with open(mark, "w", encoding="utf-8") as file:
            file.write('{"store_version": 99}\n')
        failed = opsight_cli.run("view", "--no-open", "-p", "0", self.store, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("is of version 99", failed.stderr)
        with Server(self.profiles[0], self.store) as server:
            self.assertTrue(server.tells("not shown: " + self.store))
            self.assertEqual(server.error("/stores/0/reports/runs")[0], 422)


if __name__ == "__main__":
    unittest.main()
