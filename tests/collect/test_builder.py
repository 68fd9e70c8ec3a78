"""The observer is built for a PyTorch that the one of this Opsight does not fit: once, privately, and without a trace
in the program. One real build; the other tests put a script in the compiler's place."""
import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")).resolve()
PYTHON = os.environ.get("OPSIGHT_PYTHON") or sys.executable
sys.path.insert(0, str(ROOT / "python"))
from opsight import builder  # noqa: E402


def lacks():
    done = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True)
    if done.returncode != 0:
        return f"{PYTHON} has no torch (Debian: apt-get install python3-torch libtorch-dev)"
    return None


LACKS = lacks()
SCRIPT = "import torch\nfor _ in range(7): torch.ones(3).relu()\nprint('ran')\nraise SystemExit(5)\n"
# Takes what was built once for the result, and tells how it was called.
COMPILER = """#!/bin/sh
env >>"{0}/env"
for argument; do
    [ "$previous" = -o ] && echo build >>"{0}/builds" && cp "{0}/built.so" "$argument"
    previous=$argument
done
exit 0
"""


@unittest.skipIf(LACKS, LACKS)
class Builder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="opsight_builder_")
        cls.addClassCleanup(folder.cleanup)
        cls.top = pathlib.Path(folder.name)
        cls.opsight = cls.foreign_opsight()
        (cls.top / "script.py").write_text(SCRIPT)
        cls.runs = cls.two_first_runs()
        built = glob.glob(f"{cls.top}/cache/opsight/*.so")
        if built:
            shutil.copy(built[0], cls.top / "built.so")

    @classmethod
    def foreign_opsight(cls):
        """An Opsight whose own observer fits no PyTorch."""
        for name in ("bin", "lib"):
            (cls.top / name).mkdir()
        for name in ("python", "observer"):
            (cls.top / name).symlink_to(BIN.parent / name)
        shutil.copy(BIN / "opsight", cls.top / "bin/opsight")
        for path in (BIN.parent / "lib").glob("lib*.so*"):
            shutil.copy(path, cls.top / "lib")
        (cls.top / "lib/libopsight_torch.so").touch()
        (cls.top / "lib/opsight_torch.version").write_text("9.9\nlibtorch_cpu.so.9.9\n")
        return cls.top / "bin/opsight"

    @classmethod
    def command(cls, output, *options, script="script.py"):
        return [cls.opsight, "profile", "--pytorch", *options, "-o", cls.top / output, "--", PYTHON, cls.top / script]

    @classmethod
    def environment(cls, **more):
        return {**os.environ, "XDG_CACHE_HOME": str(cls.top / "cache"), "TMPDIR": str(cls.top), **more}

    @classmethod
    def two_first_runs(cls):
        runs = [subprocess.Popen(cls.command(f"first{i}.opsight"), env=cls.environment(), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(2)]
        return [(*run.communicate(timeout=300), run.returncode) for run in runs]

    def setUp(self):
        self.cache = pathlib.Path(tempfile.mkdtemp(dir=self.top))
        self.output = self.cache.name + ".opsight"
        for name in ("env", "builds"):
            (self.top / name).unlink(missing_ok=True)
        self.fake = self.compiler(COMPILER.format(self.top))

    def compiler(self, text):
        path = self.top / "compiler"
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def run_profile(self, *options, script="script.py", **environment):
        env = self.environment(**{"CXX": self.fake, "XDG_CACHE_HOME": str(self.cache), **environment})
        done = subprocess.run(self.command(self.output, *options, script=script), env=env, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual((done.stdout, done.returncode), ("ran\n", 5), done.stderr)
        return done.stderr

    def relus(self, output=None):
        done = subprocess.run([self.opsight, "sql", self.top / (output or self.output), "--format", "json",
                               "SELECT count(*) AS n FROM ops WHERE name = 'aten::relu'"],
                              capture_output=True, text=True)
        return json.loads(done.stdout)[0]["n"] if done.returncode == 0 else None

    def builds(self):
        path = self.top / "builds"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def test_of_two_first_runs_one_builds_and_both_record(self):
        for number, (out, _, code) in enumerate(self.runs):
            self.assertEqual((out, code, self.relus(f"first{number}.opsight")), ("ran\n", 5, 7), self.runs)
        told = "".join(errors for _, errors, _ in self.runs)
        self.assertEqual(told.count("opsight: building the observer for PyTorch"), 1, told)
        folder = self.top / "cache/opsight"
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        self.assertEqual(sorted(path.suffix for path in folder.iterdir()), [".lock", ".so"])

    def test_the_next_run_finds_what_was_built(self):
        self.run_profile()
        told = self.run_profile("--force")
        self.assertNotIn("building", told)
        self.assertEqual((self.builds(), self.relus()), (1, 7))

    def test_the_compiler_sees_nothing_of_the_recording(self):
        self.run_profile(PYTHONPATH="/nowhere", OPSIGHT_LIMIT="1")
        seen = {line.split("=")[0] for line in (self.top / "env").read_text().splitlines()}
        self.assertIn("PATH", seen)
        self.assertEqual([name for name in seen if "OPSIGHT" in name or "PYTHON" in name or "INJECTION" in name], [])

    def test_a_build_that_fails_is_told_and_tried_once_in_a_run(self):
        self.compiler(f"#!/bin/sh\ncase \"$*\" in *-fsyntax-only*) exit 1;; esac\necho build >>{self.top}/builds\n"
                      "echo 'x.cpp:1: error: no such luck'\nexit 1\n")
        (self.top / "twice.py").write_text(
            "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import torch'])\n" + SCRIPT)
        told = self.run_profile(script="twice.py")
        self.assertEqual(self.builds(), 1)
        self.assertIn("no such luck", told)
        (log,) = glob.glob(f"{self.cache}/opsight/*.log")
        self.assertIn(log, told)
        self.assertIn("no such luck", pathlib.Path(log).read_text())
        self.assertIn("torch.profiler" if self.relus() is not None else "not recording", told)
        self.assertEqual(glob.glob(f"{self.cache}/opsight/*.so"), [])

    def test_without_a_compiler_it_is_told_what_to_install(self):
        # Only the names that are looked for are gone.
        tools = self.cache / "tools"
        tools.mkdir()
        told = self.run_profile(CXX="", PATH=str(tools))
        self.assertIn("install g++", told)

    def test_an_unusable_cache_is_not_used(self):
        shared = self.cache / "shared/opsight"
        shared.mkdir(parents=True)
        shared.chmod(0o755)
        for place in ("/proc/nothing", str(shared.parent)):
            with self.subTest(place):
                told = self.run_profile("--force", XDG_CACHE_HOME=place)
                self.assertIn("for this run", told)
                self.assertEqual(self.relus(), 7)
        self.assertEqual(list(shared.iterdir()), [])
        self.assertEqual(list(self.top.glob("*.capture-*")), [])

    def test_what_others_may_write_is_not_loaded(self):
        self.run_profile()
        (library,) = glob.glob(f"{self.cache}/opsight/*.so")
        os.chmod(library, 0o777)
        self.run_profile("--force")
        self.assertEqual(self.builds(), 2)

    def test_a_damaged_library_is_made_again_by_the_next_run(self):
        self.run_profile()
        (library,) = glob.glob(f"{self.cache}/opsight/*.so")
        pathlib.Path(library).write_bytes(b"no library")
        self.assertIn("cannot be loaded", self.run_profile("--force"))
        self.run_profile("--force")
        self.assertEqual((self.builds(), self.relus()), (2, 7))

    def test_it_can_be_switched_off(self):
        told = self.run_profile("--no-build-observer")
        self.assertIn("the observer was built for 9.9", told)
        self.assertEqual(self.builds(), 0)

    def test_check_tells_of_it(self):
        for more, expected in (({"CXX": self.fake}, f"{self.fake} builds in their first run"),
                               ({"CXX": "", "PATH": "/nowhere"}, "no C++ compiler")):
            done = subprocess.run([self.opsight, "profile", "--check"], capture_output=True, text=True, check=True,
                                  env=self.environment(**more))
            self.assertRegex(done.stdout, rf"(?m)^pytorch .*{expected}".replace("+", r"\+"))

    def test_a_build_ends_with_its_program(self):
        mark = self.top / "pid"
        self.compiler(f"#!/bin/sh\ncase \"$*\" in *-fsyntax-only*) exit 0;; esac\necho $$ >{mark}.new\n"
                      f"mv {mark}.new {mark}\nexec sleep 100\n")
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                mark.unlink(missing_ok=True)
                self.script_that_ends_itself(mark, number)
                run = subprocess.run(self.command(self.output, script="ends.py"), capture_output=True, text=True,
                                     env=self.environment(CXX=self.fake, XDG_CACHE_HOME=str(self.cache)), timeout=60)
                self.assertNotIn("lives", run.stdout)
                self.assertEqual(run.returncode, 128 + number, run.stderr)
                self.assertTrue(self.ends(int(mark.read_text())))

    def script_that_ends_itself(self, mark, number):
        (self.top / "ends.py").write_text(
            "import os, threading, time\ndef end():\n"
            f"    while not os.path.exists({str(mark)!r}): time.sleep(0.05)\n"
            f"    os.kill(os.getpid(), {int(number)})\n"
            "threading.Thread(target=end, daemon=True).start()\nimport torch\nprint('lives')\n")

    @staticmethod
    def ends(process):
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                with open(f"/proc/{process}/stat", encoding="ascii") as file:
                    if file.read().split()[2] == "Z":
                        return True
            except OSError:
                return True
            time.sleep(0.05)
        return False


class Commands(unittest.TestCase):
    def test_one_that_takes_too_long_is_ended(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(builder, "LIMIT_S", 0.3):
            began = time.monotonic()
            self.assertIsNone(builder._run(["sleep", "60"], folder, os.devnull))
            self.assertLess(time.monotonic() - began, 30)

    def test_exit_codes_come_through(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(builder._run(["sh", "-c", "exit 7"], folder, os.devnull), 7)


if LACKS:
    print(f"SKIPPED, LOUDLY: {LACKS}", file=sys.stderr)
if __name__ == "__main__":
    unittest.main()
