"""The marks check finds left-over marks, machine paths and registry hosts, and lets ordinary text pass."""
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_marks.sh"


class CheckMarks(unittest.TestCase):
    def check(self, text, name="a.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            done = subprocess.run([SCRIPT, name], cwd=folder, capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_ordinary_text_passes(self):
        for text in ("int todo_list;", "#!/usr/bin/env bash", "see /proc/self/maps and /dev/null",
                     "https://github.com/pytorch/pytorch", "a/wo" "rk/b", "${HOME}/wo" "rk/x", "mirrors the input. Then",
                     "a registry of commands", "build/tmp/x"):
            self.assertEqual(self.check(text + "\n"), (0, ""), text)

    def test_each_kind_is_found(self):
        for what, text in (("left-over mark", "// TODO: later"), ("left-over mark", "# FIXME"),
                           ("path of one machine", 'open("/tmp/x.json")'),
                           ("path of one machine", "cd /home/someone/src"),
                           ("path of one machine", "/wo" "rk/main"),
                           ("registry host", "https://registry.example.org/x"),
                           ("registry host", "deb https://mirror.example.org/debian"),
                           ("registry setting", '  "resolved": "https://example.org/a.tgz",'),
                           ("conflict marker", "<<<<<<< HEAD")):
            code, output = self.check("first line\n" + text + "\n")
            self.assertEqual(code, 1, text)
            self.assertTrue(output.startswith(f"{what}: a.cpp:2:"), output)

    def test_recorded_traces_may_keep_their_paths_but_not_hosts(self):
        name = "tests/data/a.json"
        self.assertEqual(self.check('{"file": "/home/someone/train.py"}\n', name)[0], 0)
        self.assertEqual(self.check('"https://registry.example.org/"\n', name)[0], 1)


if __name__ == "__main__":
    unittest.main()
