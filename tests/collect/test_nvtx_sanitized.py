"""The NVTX library under AddressSanitizer with UBSan, and under ThreadSanitizer, in programs that use it hard."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).absolute().parents[2]
LIBRARY = [path for path in sorted((SOURCES / "src/collect/nvtx").glob("*.cpp")) if path.name != "abi_check.cpp"] + [
    SOURCES / "src" / name for name in ("collect/recorder.cpp", "collect/environment.cpp", "wire/writer.cpp", "wire/ring.cpp", "wire/clock.cpp")]
COMPILER = os.environ.get("CXX", "c++")
# Program, its arguments, its exit code.
RUNS = (("odd threads", 9), ("odd outlive", 9), ("odd fork", 9), ("odd fork_storm", 9), ("odd signals", 9),
        ("odd sampled", 9), ("odd capture 3", 9), ("odd plugin PLUGIN", 9), ("odd many 300000", 9), ("odd _exit", 3),
        ("odd exec", 4), ("odd kill", -9), ("odd abort", -6), ("everything", 7), ("later", 9), ("payloads", 9))


@unittest.skipIf(shutil.which(COMPILER) is None, "no C++ compiler")
class Sanitized(unittest.TestCase):
    def run_under(self, sanitizer):
        folder = tempfile.TemporaryDirectory(prefix="opsight_sanitized_")
        self.addCleanup(folder.cleanup)
        place = pathlib.Path(folder.name)
        common = [COMPILER, "-g", "-O1", f"-fsanitize={sanitizer}", "-w"]
        programs = SOURCES / "tests/programs"
        builds = [subprocess.Popen(command) for command in (
            [*common, "-std=c++20", "-fPIC", "-shared", f"-I{SOURCES / 'src'}", *LIBRARY, "-o", place / "libnvtx.so"],
            [*common, "-std=c++20", programs / "odd.cpp", "-o", place / "odd", "-ldl", "-lpthread"],
            [*common, "-std=c++20", programs / "later.cpp", "-o", place / "later", "-ldl"],
            [*common, "-std=c++20", programs / "payloads.cpp", "-o", place / "payloads", "-ldl"],
            [*common, "-x", "c", "-fPIC", "-shared", programs / "plugin.c", "-o", place / "plugin.so", "-ldl"],
            [*common, "-x", "c", programs / "everything.c", "-o", place / "everything", "-ldl", "-lpthread"])]
        self.assertEqual([build.wait() for build in builds], [0] * len(builds))
        (place / "captures").mkdir()
        (place / "gate").write_bytes(bytes(4096))
        # Threads that still run at the end are what LeakSanitizer cannot stop; ThreadSanitizer gives up on a fork of
        # several threads unless told otherwise.
        self.place = place
        self.environment = dict(
            os.environ, NVTX_INJECTION64_PATH=str(place / "libnvtx.so"), OPSIGHT_CAPTURE_DIR=str(place / "captures"),
            OPSIGHT_LIMIT_BYTES=str(8 << 20), ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="halt_on_error=1",
            TSAN_OPTIONS="exitcode=66:die_after_fork=0")
        for command, code in RUNS:
            with self.subTest(command):
                done = self.run_program(command, "wanted" if "capture" in command else "")
                self.assertEqual((done.returncode, done.stderr), (code, ""))
        self.assertGreater(len(list((place / "captures").glob("*.opcap"))), len(RUNS))
        self.run_without_room()

    def run_program(self, command, gate=""):
        program, *words = command.replace("PLUGIN", str(self.place / "plugin.so")).split()
        environment = dict(self.environment, OPSIGHT_CAPTURE_RANGE=gate)
        if gate:
            environment["OPSIGHT_GATE"] = str(self.place / "gate")
        return subprocess.run([self.place / program, *words], capture_output=True, text=True, timeout=200, env=environment)

    def run_without_room(self):
        """A disk that fills up, and one that is read-only."""
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            return
        for mount, told in (("mount -t tmpfs -o size=1m none captures", ""),
                            ("mount -t tmpfs none captures && mount -o remount,ro captures", "not recording NVTX")):
            with self.subTest(mount):
                done = subprocess.run(["unshare", "-m", "sh", "-c", mount + " && exec ./odd many 300000"], text=True,
                                      capture_output=True, timeout=200, env=self.environment, cwd=self.place)
                self.assertEqual(done.returncode, 9, done.stderr)
                self.assertIn(told, done.stderr)
                self.assertNotIn("Sanitizer", done.stderr)

    def test_memory_and_undefined_behaviour(self):
        self.run_under("address,undefined")

    def test_races(self):
        self.run_under("thread")


if __name__ == "__main__":
    unittest.main()
