"""The CUDA library under AddressSanitizer with UBSan, and under ThreadSanitizer, with a CUPTI of our own."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).absolute().parents[2]
LIBRARY = [path for path in sorted((SOURCES / "src/collect/cuda").glob("*.cpp"))
           if path.name != "abi_check.cpp" and not path.name.endswith("_test.cpp")] + [
    SOURCES / "src" / name for name in ("collect/environment.cpp", "wire/writer.cpp", "wire/ring.cpp", "wire/clock.cpp")]
COMPILER = os.environ.get("CXX", "c++")
RUNS = (("everything", 9), ("odd", 9), ("threads", 9), ("outlive", 9), ("fork", 9), ("fork_storm", 9), ("profiler", 9),
        ("_exit", 3))


@unittest.skipIf(shutil.which(COMPILER) is None, "no C++ compiler")
class Sanitized(unittest.TestCase):
    def run_under(self, sanitizer):
        folder = tempfile.TemporaryDirectory(prefix="opsight_sanitized_")
        self.addCleanup(folder.cleanup)
        place = pathlib.Path(folder.name)
        common = [COMPILER, "-g", "-O1", f"-fsanitize={sanitizer}", "-w", "-std=c++20", f"-I{SOURCES / 'src'}"]
        programs = SOURCES / "tests/programs/cuda"
        builds = [subprocess.Popen(command) for command in (
            [*common, "-fPIC", "-shared", *LIBRARY, "-o", place / "libcuda_tool.so", "-ldl", "-lpthread"],
            [*common, "-fPIC", "-shared", programs / "fake_cupti.cpp", "-o", place / "libfake_cupti.so"],
            [*common, programs / "cuda_program.cpp", "-o", place / "cuda_program", "-ldl", "-lpthread"])]
        self.assertEqual([build.wait() for build in builds], [0, 0, 0])
        (place / "captures").mkdir()
        # Threads that still run at the end are what LeakSanitizer cannot stop.
        environment = dict(os.environ, CUDA_INJECTION64_PATH=str(place / "libcuda_tool.so"), OPSIGHT_FLUSH="0.02",
                           OPSIGHT_CUPTI=str(place / "libfake_cupti.so"), OPSIGHT_CAPTURE_DIR=str(place / "captures"),
                           OPSIGHT_LIMIT_BYTES=str(64 << 20), ASAN_OPTIONS="detect_leaks=0",
                           UBSAN_OPTIONS="halt_on_error=1", TSAN_OPTIONS="exitcode=66")
        for how, code in RUNS:
            with self.subTest(how=how):
                done = subprocess.run([place / "cuda_program", how], capture_output=True, text=True, timeout=200,
                                      env=environment)
                self.assertEqual((done.returncode, done.stderr), (code, ""))
        self.assertEqual(len(list((place / "captures").glob("*.opcap"))), len(RUNS))

    def test_memory_and_undefined_behaviour(self):
        self.run_under("address,undefined")

    def test_races(self):
        self.run_under("thread")


if __name__ == "__main__":
    unittest.main()
