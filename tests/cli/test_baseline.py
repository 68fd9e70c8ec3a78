#!/usr/bin/env python3
"""`opsight baseline`: what is kept, what is refused, and that nothing is lost where saving fails."""

import json
import os
import tempfile
import unittest

import opsight_cli
import tiny_trace


class BaselineTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.kept = os.path.join(self.folder, "kept")
        self.short, self.long = self.run_of(9), self.run_of(12)

    def run_of(self, steps):
        path = os.path.join(self.folder, f"steps{steps}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(tiny_trace.trace(steps=steps), file)
        return path

    def baseline(self, what, *arguments, code=0):
        done = opsight_cli.run("baseline", what, "--dir", self.kept, *arguments, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def listed(self):
        return json.loads(self.baseline("list", "--json"))

    def test_saved_listed_and_compared(self):
        self.assertEqual(self.listed(), [])
        self.baseline("save", "v1", self.short, self.short)
        self.baseline("save", "v1.1", self.long)
        self.assertEqual([(row["baseline"], row["run"], row["iterations"], row["median_ns"]) for row in self.listed()],
                         [("v1", "steps9.json", 9, 100000)] * 2 + [("v1.1", "steps12.json", 12, 100000)])
        os.unlink(self.short)  # copies are kept
        answer = json.loads(self.baseline("compare", "v1.1", self.long, "--json", "--fail-if", "iteration_time > 0%", "--strict"))
        self.assertEqual((answer["verdict"], answer["base_iterations"]), ("equal", 12))
        runs = json.loads(self.baseline("compare", "v1", self.long, "--json"))["runs"]
        self.assertEqual([row["side"] for row in runs], ["base", "base", "new"])

    def test_replaced_only_where_asked_and_only_whole(self):
        self.baseline("save", "v1", self.short)
        self.assertIn("--force", self.baseline("save", "v1", self.long, code=1))
        before = sorted(os.listdir(self.kept))
        broken = os.path.join(self.folder, "broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("no trace")
        self.assertIn("broken.json", self.baseline("save", "v1", "--force", self.long, broken, code=1))
        self.assertEqual(sorted(os.listdir(self.kept)), before)
        self.baseline("save", "v1", "--force", self.long)
        self.assertEqual([row["iterations"] for row in self.listed()], [12])
        self.assertEqual(len(os.listdir(self.kept)), 2)

    def test_names_are_no_paths(self):
        for name in ("../v1", "a/b", ".hidden", "-x", "", "v1@1", "x" * 101):
            self.assertIn("cannot be the name of a baseline", self.baseline("save", "--", name, self.short, code=2))
        self.assertEqual(os.path.exists(self.kept), False)
        self.assertIn("there is no baseline 'v9'", self.baseline("compare", "v9", self.short, code=1))

    def test_a_list_that_somebody_wrote_names_no_other_file(self):
        self.baseline("save", "v1", self.short)
        path = os.path.join(self.kept, "v1.baseline.json")
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        for runs in ([], "x", [1], [{"file": "../../secret.opsight"}], [{"file": "v1@/../../x.opsight"}], [{"file": "other@1-1.opsight"}]):
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**kept, "runs": runs}, file)
            self.assertIn("v1.baseline.json", self.baseline("compare", "v1", self.short, code=1))
        with open(path, "w", encoding="utf-8") as file:
            file.write("[" * 100000)
        self.assertIn("v1.baseline.json", self.baseline("list", code=1))

    def test_what_an_interrupted_save_left_is_in_nobodys_way(self):
        os.mkdir(self.kept)
        for left in ("v1@1-2.opsight", "v1@2-1.opsight"):
            with open(os.path.join(self.kept, left), "w", encoding="utf-8") as file:
                file.write("left behind")
        os.symlink("nowhere", os.path.join(self.kept, "v1@3-1.opsight"))
        self.baseline("save", "v1", self.short, self.short)
        self.assertEqual([row["file"] for row in self.listed()], ["v1@4-1.opsight", "v1@4-2.opsight"])
        with open(os.path.join(self.kept, "v1@1-2.opsight"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "left behind")

    def test_a_folder_that_cannot_be_read_is_not_an_empty_one(self):
        with open(self.kept, "w", encoding="utf-8") as file:
            file.write("no folder")
        self.assertIn("cannot be read", self.baseline("list", code=1))


if __name__ == "__main__":
    unittest.main()
