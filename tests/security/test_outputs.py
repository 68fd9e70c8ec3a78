"""What the program writes: whole or not at all, only regular files, and never half of it with exit code 0."""

import json
import os
import pathlib
import pty
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

import opsight_cli
import tiny_trace
import view_server


class Outputs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.trace = tiny_trace.write(self.folder)
        self.profile = os.path.join(self.folder, "run.opsight")
        self.model = tiny_trace.write_model(self.folder)
        opsight_cli.run("import", self.trace, "-o", self.profile)

    def writers(self, out):
        """Commands that write the file `out` and may replace one."""
        return [["import", self.trace, "-o", out, "-f"],
                ["report", self.profile, "--format", "html", "-o", out, "--force"]]

    def test_only_regular_files_are_replaced(self):
        target = os.path.join(self.folder, "target")
        with open(target, "w", encoding="utf-8") as file:
            file.write("kept")
        link, lost, pipe = (os.path.join(self.folder, name) for name in ("link", "lost", "pipe"))
        os.symlink(target, link)
        os.symlink(os.path.join(self.folder, "nowhere"), lost)
        os.mkfifo(pipe)
        for out in (link, lost, pipe, "/dev/null"):
            for command in self.writers(out):
                with self.subTest(out=out, command=command[0]):
                    done = opsight_cli.run(*command, check=False, timeout=60)
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("only a regular file", done.stderr)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertTrue(os.path.islink(link) and os.path.islink(lost))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "nowhere")))
        with open(target, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")

    def printing(self):
        """Every command that prints, in each of its ways."""
        profile = self.profile
        commands = re.findall(r"^  ([a-z]+) ", opsight_cli.run("--help").stdout.split("Subcommands:")[1].split("\n\n")[0],
                              re.MULTILINE)
        printing = [["schema"], ["schema", "--ddl"], ["devices"], ["devices", "--json"], ["profile", "--check"],
                    ["info", profile], ["info", profile, "--json"], ["stats", profile], ["stats", "--help-reports"],
                    ["stats", "--help-formats"], ["analyze", profile], ["analyze", "--help-rules"],
                    ["view", profile, "-p", "0", "--no-open"],
                    ["import", self.trace, "-o", os.path.join(self.folder, "again.opsight"), "-f"],
                    ["import", profile, "--model", self.model], ["estimate", self.model, "--device", "a100-40"],
                    ["estimate", self.model, "--summary"], ["report", profile, "--format", "html"],
                    ["report", profile, "--json"],
                    ["report", profile, "--style", "dlprof", "--force", "-o", os.path.join(self.folder, "dlprof")],
                    *self.printing_of_several(), ["help"], *(["completion", shell] for shell in ("bash", "zsh", "fish")),
                    *([*command, "--format", form] for command in (["report", profile], ["sql", profile, "FROM ops"])
                      for form in ("table", "csv", "json"))]
        # What 'profile' prints while it runs is the program's; 'mcp' is below.
        self.assertEqual(set(commands) - {command[0] for command in printing}, {"mcp"})
        return ([[word, "--help"] for word in commands] + [["help", word] for word in commands] +
                [["--help"], ["--version"], ["-V"]] + printing)

    def printing_of_several(self):
        """The commands that came after those that one profile goes through."""
        profile, store, problem = self.profile, os.path.join(self.folder, "store"), os.path.join(self.folder, "gemm.yaml")
        opsight_cli.run("fleet", "push", "--to", store, profile)
        for value in (1, 2):
            shutil.copy(profile, os.path.join(self.folder, f"run{value}.opsight"))
        with open(problem, "w", encoding="utf-8") as file:
            file.write("problem: {shape: cnn-layer, R: 3, S: 3, P: 4, Q: 4, C: 4, K: 4, N: 1}\n")
        formats = ("table", "csv", "json", "html", "markdown")
        return [*(["compare", profile, profile, "--format", form] for form in formats),
                *(["trend", profile, profile, "--format", form] for form in formats),
                *(["advise", profile, "--format", form] for form in ("text", "json", "html", "markdown")),
                ["whatif", profile], ["whatif", profile, "--json"],
                *(["export", profile, "--format", form, "-o", "-"] for form in ("chrome", "folded", "speedscope")),
                ["export", profile, "--format", "perfetto", "-f", "-o", os.path.join(self.folder, "run.perfetto")],
                ["baseline", "list"], ["fleet", "list", store], ["fleet", "report", store], ["fleet", "schema"],
                ["fleet", "sql", store, "SELECT 1"], ["fleet", "push", "--to", store, profile],
                ["sweep", "--vary", "b=1,2", "--from", os.path.join(self.folder, "run{b}.opsight")],
                ["map", problem, "--arch", "eyeriss-256", "--cloud", "10"]]

    def test_a_full_standard_output_is_an_error(self):
        for command in self.printing():
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                done = subprocess.run([opsight_cli.PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, timeout=60,
                                      check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(b"the output could not be written", done.stderr)
        hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        with open("/dev/full", "wb") as full:
            done = subprocess.run([opsight_cli.PROGRAM, "mcp", self.profile], input=json.dumps(hello).encode() + b"\n",
                                  stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_a_closed_standard_output_is_an_error_and_no_file_takes_its_place(self):
        before = opsight_cli.run("info", self.profile).stdout
        out = os.path.join(self.folder, "again.opsight")
        for command in (["--version"], ["info", self.profile], ["import", self.trace, "-o", out],
                        ["import", self.profile, "--model", self.model]):
            with self.subTest(command=command):
                done = subprocess.run([opsight_cli.PROGRAM, *command], stderr=subprocess.PIPE, close_fds=False,
                                      preexec_fn=lambda: os.close(1), timeout=60, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(b"the output could not be written", done.stderr)
        self.assertEqual(opsight_cli.run("info", out).stdout, before)

    def test_what_does_not_fit_is_told_in_json_where_that_is_asked_for(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([opsight_cli.PROGRAM, "info", self.profile, "--json"], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(json.loads(done.stderr)["file"], "standard output")

    def test_what_does_not_fit_leaves_the_old_file(self):
        out = os.path.join(self.folder, "old.html")
        with open(out, "w", encoding="utf-8") as file:
            file.write("old")
        for command in self.writers(out)[1:] + [["stats", self.profile, "-r", "cuda_gpu_kern_sum", "--format", "csv",
                                                 "-o", os.path.join(self.folder, "stats"), "--force-overwrite"]]:
            shell = f'ulimit -f 0; exec "$0" "$@"'
            done = subprocess.run(["bash", "-c", shell, opsight_cli.PROGRAM, *command], capture_output=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        left = [name for name in os.listdir(self.folder) if name.endswith(".part") or name.startswith("stats")]
        self.assertEqual(left, [])

    def test_a_model_that_does_not_fit_leaves_the_profile_as_it_was(self):
        if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("needs the right to mount a small file system")
        small, taken = (os.path.join(self.folder, name) for name in ("small", "taken"))
        os.mkdir(small)
        kilobytes = os.path.getsize(self.profile) // 1024
        script = ('mount -t tmpfs -o size="$1"k none "$2" && cp "$3" "$2/run.opsight" && '
                  '"$0" import "$2/run.opsight" --model "$4"; code=$?; cp -r "$2" "$5"; exit $code')
        for room in (8, 100, 1000):  # full as it is committed, or as it goes into the file
            done = subprocess.run(["unshare", "-m", "sh", "-c", script, opsight_cli.PROGRAM, str(kilobytes + room), small,
                                   self.profile, self.model, taken], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("run.opsight: the disk is full: the model could not be added", done.stderr)
            self.assertNotIn("Stack Trace", done.stderr)
            self.assertEqual(os.listdir(taken), ["run.opsight"])
            rows = opsight_cli.run("sql", taken + "/run.opsight", "SELECT count(*) AS n FROM model_nodes", "--format", "csv")
            self.assertEqual(rows.stdout.split(), ["n", "0"])
            shutil.rmtree(taken)

    def test_nothing_in_a_file_steers_the_terminal(self):
        bad = os.path.join(self.folder, "bad\x1b]0;title\x07\u202e.json")
        for content, code in ((pathlib.Path(self.trace).read_bytes(), 0), (b"neither a trace nor a profile", 1)):
            pathlib.Path(bad).write_bytes(content)
            done = opsight_cli.run("info", bad, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertNotRegex(done.stdout + done.stderr, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
            self.assertIn("title\\x07\\u202e.json", done.stdout + done.stderr)


class Viewing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.profile = os.path.join(self.folder, "run.opsight")
        opsight_cli.run("import", tiny_trace.write(self.folder), "-o", self.profile)

    def test_the_token_is_on_no_command_line(self):
        said = os.path.join(self.folder, "said")
        fake = os.path.join(self.folder, "xdg-open")
        with open(fake, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nPATH=/usr/bin:/bin\nout={said}\n(echo "$@"; ls -l /proc/self/fd; cat "${{1#file://}}"; '
                       'stat -c %a "${1#file://}") > $out.new\nmv $out.new $out\n')
        os.chmod(fake, 0o755)
        main, other = pty.openpty()
        environment = dict(os.environ, DISPLAY=":9", PATH=self.folder + ":" + os.environ["PATH"])
        with subprocess.Popen([opsight_cli.PROGRAM, "view", "-p", "0", self.profile], stdout=other, stderr=other,
                              env=environment) as viewer:
            os.close(other)
            until = time.monotonic() + 60
            while not os.path.exists(said) and time.monotonic() < until:
                time.sleep(0.05)
            viewer.send_signal(signal.SIGINT)
            self.assertEqual(viewer.wait(60), 0)
        os.close(main)
        with open(said, encoding="utf-8") as file:
            arguments, rest = file.read().split("\n", 1)
        self.assertTrue(arguments.startswith("file://"), arguments)
        self.assertNotIn("token", arguments)
        self.assertIn("?token=", rest)
        self.assertNotIn("socket:", rest)
        self.assertTrue(rest.endswith("600\n"), rest)
        self.assertFalse(os.path.exists(arguments[len("file://"):].strip()))

    def test_a_folder_of_many_files_stays_small(self):
        for i in range(60):
            shutil.copy(self.profile, os.path.join(self.folder, f"run{i}.opsight"))
        with open(os.path.join(self.folder, "bad.opsight"), "wb") as file:
            file.write(b"\0" * 8 + b"DUCK" + b"\1" * 20000)
        with view_server.Server(self.folder) as server:
            until, states = time.monotonic() + 300, ["reading"]
            while "reading" in states and time.monotonic() < until:
                states = [profile["state"] for profile in server.json("/profiles")["profiles"]]
            self.assertEqual(sorted(set(states)), ["error", "ok"])
            self.assertEqual(states.count("error"), 1)
            for i in range(61):
                server.ask(f"/api/v1/profiles/{i}/info")
            with open(f"/proc/{server.answering()}/status", encoding="utf-8") as file:
                resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
            self.assertLess(resident, 600_000)  # kB; 3.8 GB where all stay open


if __name__ == "__main__":
    unittest.main()
