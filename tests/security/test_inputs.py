"""Files beside the traces: what has no end, what is a pipe, and what is damaged is a sentence, and holds nobody up."""

import os
import resource
import shutil
import tempfile
import unittest

import opsight_cli
import tiny_trace
import view_server


def with_little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


class Inputs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.profile = os.path.join(self.folder, "run.opsight")
        opsight_cli.run("import", tiny_trace.write(self.folder), "-o", self.profile)

    def refused(self, *command, code=1):
        """What the command says as it refuses, soon."""
        done = opsight_cli.run(*command, check=False, timeout=60, preexec_fn=with_little_memory)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def test_a_file_of_settings_has_an_end(self):
        for command in (["advise", self.profile, "--threshold-file"], ["devices", "--devices"]):
            with self.subTest(command[0]):
                self.assertIn("/dev/zero: is larger than", self.refused(*command, "/dev/zero"))
        settings = os.path.join(self.folder, "settings")
        with open(settings, "w", encoding="utf-8") as file:
            file.write("# a comment\n" * 10_001 + "no_such_rule.x=1\n")
        self.assertIn("line 10002", self.refused("advise", self.profile, "--threshold-file", settings, code=2))

    def test_a_model_is_not_a_device(self):
        for command in (["estimate"], ["map"], ["import", self.profile, "--model"]):
            with self.subTest(command[0]):
                self.assertIn("/dev/zero: is not a file, but a device", self.refused(*command, "/dev/zero"))

    def test_the_log_beside_a_profile_is_a_regular_file_or_refused(self):
        """DuckDB opens it with the profile: it would wait at a pipe, and write through a link."""
        kept, log = os.path.join(self.folder, "kept"), self.profile + ".wal"
        with open(kept, "w", encoding="utf-8") as file:
            file.write("kept")
        model = tiny_trace.write_model(self.folder)
        good = shutil.copy(self.profile, os.path.join(self.folder, "good.opsight"))
        for make in (os.mkfifo, lambda path: os.symlink(kept, path), lambda path: os.symlink("nowhere", path)):
            make(log)
            for command in (["info", self.profile], ["sql", self.profile, "FROM ops"],
                            ["import", self.profile, "--model", model], ["view", self.profile, "--no-open", "-p", "0"]):
                with self.subTest(command[0]):
                    self.assertIn("run.opsight.wal is not a regular file", self.refused(*command))
            with view_server.Server(self.profile, good) as server:
                self.assertEqual([server.ask(f"/api/v1/profiles/{i}/info")[0] for i in (0, 1)], [422, 200])
            os.unlink(log)
        with open(kept, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "nowhere")))
        opsight_cli.run("import", self.profile, "--model", model)

    def sweep(self):
        for value in (1, 2):
            shutil.copy(self.profile, os.path.join(self.folder, f"b{value}.opsight"))
        out = tempfile.mkdtemp(dir=self.folder) + "/sweep"
        opsight_cli.run("sweep", "--vary", "b=1,2", "--from", self.folder + "/b{b}.opsight", "-o", out)
        return out

    def test_a_sweep_reads_regular_files_only(self):
        for name in ("sweep.json", "runs.jsonl"):
            for replace in (os.mkfifo, lambda path: os.symlink("/dev/zero", path)):
                folder = self.sweep()
                path = os.path.join(folder, name)
                os.unlink(path)
                replace(path)
                with self.subTest(path):
                    self.assertIn(f"{name}: is not a regular file", self.refused("sweep", folder))
        folder = self.sweep()
        for name in os.listdir(folder + "/runs"):
            os.unlink(f"{folder}/runs/{name}")
            os.mkfifo(f"{folder}/runs/{name}")
        done = opsight_cli.run("sweep", folder, "--wide", timeout=60)
        self.assertIn("is not a regular file", done.stdout)

    def test_a_sweep_writes_through_no_link(self):
        kept = os.path.join(self.folder, "kept")
        for name, code in (("runs.jsonl", 1), ("lock", 1), ("runs/b=1.1.bare.txt", 0), ("runs/b=1.1.recorded.txt", 0)):
            with open(kept, "w", encoding="utf-8") as file:
                file.write("kept\n")
            folder = tempfile.mkdtemp(dir=self.folder)
            os.mkdir(folder + "/runs")
            os.symlink(kept, os.path.join(folder, name))
            with self.subTest(name):
                done = opsight_cli.run("sweep", "--vary", "b=1", "--repeat", "1", "-o", folder, "--", "echo", "{b}",
                                       check=False, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                with open(kept, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "kept\n")

    def test_a_sweep_tells_which_runs_it_cannot_read(self):
        folder = self.sweep()
        with open(folder + "/runs.jsonl", "w", encoding="utf-8") as file:
            file.write("[" * 100_000 + "\n")
        done = opsight_cli.run("sweep", folder, "--wide")
        self.assertIn("line 1 of runs.jsonl is not a run and was passed over", done.stdout)
        with open(folder + "/runs.jsonl", "a", encoding="utf-8") as file:
            file.write("5\n")
        done = opsight_cli.run("sweep", folder, "--wide")
        self.assertIn("2 lines of runs.jsonl, the first of them line 1, are not runs", done.stdout)


if __name__ == "__main__":
    unittest.main()
