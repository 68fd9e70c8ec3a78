#!/usr/bin/env python3
"""A cloud of mappings in the viewer: what it shows is what `opsight map --cloud` wrote."""

import json
import os
import shutil
import tempfile
import unittest

import api_schema
import opsight_cli
from view_server import Server

API = api_schema.Api()
PROBLEM = "problem: {N: 1, C: 16, K: 16, P: 7, Q: 7, R: 3, S: 3}\n"


def rows_of(table):
    keys = [column["key"] for column in table["columns"]]
    return [dict(zip(keys, row)) for row in table["rows"]]


class CloudInTheViewer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.addCleanup(shutil.rmtree, self.folder)
        self.problem = os.path.join(self.folder, "problem.yaml")
        with open(self.problem, "w", encoding="utf-8") as file:
            file.write(PROBLEM)
        self.files = ("map", self.problem, "--arch", "eyeriss-256")
        self.text = opsight_cli.run(*self.files, "--cloud", "4000", "--format", "json").stdout
        self.cloud = self.write("cloud.json", self.text)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_answers_are_those_of_the_command_line(self):
        said = json.loads(self.text)
        with Server(self.cloud) as server:
            listed = server.json("/profiles")
            self.assertEqual((listed["clouds"], listed["profiles"]), ([{"id": "0", "name": "cloud.json"}], []))
            answer = server.json("/clouds/0")
            API.check("GET", "/api/v1/clouds/0", 200, answer)
        self.assertEqual((answer["problem"], answer["mappings"], answer["notes"], answer["outer_level"]),
                         (said["problem"], said["mappings"], said["notes"], said["fewest_outer_accesses"]["level"]))
        for name in ("best", "front", "points"):
            self.assertEqual([{**row, "draw": int(row["draw"])} for row in rows_of(answer[name])], said[name], name)
        for shown, told in zip(answer["told"], said["told"], strict=True):
            self.assertEqual(rows_of(shown.pop("levels")), told.pop("levels"))
            self.assertEqual({**shown, "draw": int(shown["draw"])}, told)

    def test_a_mapping_that_is_told_is_that_of_its_draw(self):
        said = json.loads(self.text)
        for told in said["told"][:3] + said["told"][-1:]:
            one = json.loads(opsight_cli.run(*self.files, "--draw", str(told["draw"]), "--format", "json").stdout)
            self.assertEqual((one["loop_nest"], one["levels"], one["summary"]["energy_pj"], one["summary"]["cycles"]),
                             (told["loop_nest"], told["levels"], told["energy_pj"], told["cycles"]))

    def test_the_least_of_each_objective_is_above_a_bound_that_no_search_goes_below(self):
        best = {row["objective"]: row for row in json.loads(self.text)["best"]}
        self.assertEqual(list(best), ["energy", "delay", "edp", "last-level"])
        for objective, row in best.items():
            found = json.loads(opsight_cli.run(*self.files, "--search", objective, "--format", "json").stdout)["search"]
            self.assertTrue(found["proven"], objective)
            self.assertLessEqual(row["bound"], found["cost"] * (1 + 1e-9), objective)
            self.assertGreaterEqual(row["cost"], found["cost"] * (1 - 1e-9), objective)
            self.assertEqual(row["proven"], row["gap_percent"] == 0, objective)
            if row["proven"]:
                self.assertAlmostEqual(row["cost"] / found["cost"], 1, 8, objective)

    def test_what_is_wrong_is_said(self):
        other = self.write("other.json", self.text)
        with Server(self.cloud, other) as server:
            self.assertEqual(server.error("/clouds/2")[0], 404)
            self.assertEqual(server.error("/clouds/x")[0], 404)
            said = json.loads(self.text)
            said["points"][4]["cycles"] = "many"
            self.write("other.json", json.dumps(said))
            status, error = server.error("/clouds/1")
            self.assertEqual(status, 422, error)
            self.assertIn("other.json: is not a cloud of mappings as Opsight writes it: points, row 5, cycles", error["message"])
            self.assertIn("--cloud", error["remedy"])
            os.remove(other)
            self.assertEqual(server.error("/clouds/1")[0], 422)
            self.assertEqual(len(server.json("/clouds/0")["told"]), len(said["told"]))

    def test_a_file_that_is_cut_off_ends_the_viewer_with_a_reason(self):
        failed = opsight_cli.run("view", "--no-open", "-p", "0", self.write("half.json", self.text[: len(self.text) // 2]),
                                 check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("half.json: is not whole, or not JSON", failed.stderr)
        self.assertEqual(failed.stderr.count("half.json"), 1, failed.stderr)
        self.assertIn("write it again", failed.stderr)

    def test_a_bad_sweep_is_named_once(self):
        folder = os.path.join(os.path.dirname(self.cloud), "half-sweep")
        os.makedirs(folder)
        with open(os.path.join(folder, "sweep.json"), "w", encoding="utf-8") as file:
            file.write('{"opsight_sweep": ')
        failed = opsight_cli.run("view", "--no-open", "-p", "0", folder, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertEqual(failed.stderr.count("half-sweep"), 1, failed.stderr)

    def test_another_json_is_not_taken_for_one(self):
        one = opsight_cli.run(*self.files, "--search", "edp", "--format", "json").stdout
        failed = opsight_cli.run("view", "--no-open", "-p", "0", self.write("one.json", one), check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertNotIn("cloud of mappings", failed.stderr)


if __name__ == "__main__":
    unittest.main()
