"""The NVTX library under AddressSanitizer with UBSan, and under ThreadSanitizer, in programs that use it hard."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).absolute().parents[2]
LIBRARY = [path for path in sorted((SOURCES / "src/collect/nvtx").glob("*.cpp")) if path.name != "abi_check.cpp"] + [
    SOURCES / "src" / name for name in ("collect/recorder.cpp", "wire/writer.cpp", "wire/clock.cpp")]
COMPILER = os.environ.get("CXX", "c++")
RUNS = (("odd", "threads", 9), ("odd", "outlive", 9), ("odd", "fork", 9), ("odd", "signals", 9), ("odd", "sampled", 9),
        ("odd", "_exit", 3), ("everything", None, 7))


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
            [*common, "-x", "c", programs / "everything.c", "-o", place / "everything", "-ldl", "-lpthread"])]
        self.assertEqual([build.wait() for build in builds], [0, 0, 0])
        (place / "captures").mkdir()
        # Threads that still run at the end are what LeakSanitizer cannot stop.
        environment = dict(os.environ, NVTX_INJECTION64_PATH=str(place / "libnvtx.so"),
                           OPSIGHT_CAPTURE_DIR=str(place / "captures"), OPSIGHT_LIMIT_BYTES=str(32 << 20),
                           ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="halt_on_error=1", TSAN_OPTIONS="exitcode=66")
        for program, how, code in RUNS:
            with self.subTest(program=program, how=how):
                done = subprocess.run([place / program, *([how] if how else [])], capture_output=True, text=True,
                                      timeout=200, env=environment)
                self.assertEqual((done.returncode, done.stderr), (code, ""))
        self.assertGreater(len(list((place / "captures").glob("*.opcap"))), len(RUNS))

    def test_memory_and_undefined_behaviour(self):
        self.run_under("address,undefined")

    def test_races(self):
        self.run_under("thread")


if __name__ == "__main__":
    unittest.main()
