"""The program runs from any folder, built or installed, with the DuckDB that came with it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")).resolve()


class Install(unittest.TestCase):
    def run_in(self, folder, *command):
        env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True).stdout

    def test_the_build_runs_from_another_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertRegex(self.run_in(folder, BIN / "opsight", "--version"), r"^opsight \d+\.\d+\.\d+\n$")

    def test_an_installed_copy_runs_and_uses_its_own_library(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder).resolve() / "prefix"
            self.run_in(folder, "cmake", "--install", BIN.parent, "--prefix", prefix)
            self.assertIn("opsight", self.run_in(folder, prefix / "bin/opsight", "--version"))
            libraries = self.run_in(folder, "ldd", prefix / "bin/opsight")
            self.assertNotIn(str(BIN.parent), libraries)
            self.assertNotIn("not found", libraries)
            self.check_recording(folder, prefix)

    def check_recording(self, folder, prefix):
        """Recording finds its libraries and the Python package beside the installed program."""
        self.assertRegex(self.run_in(folder, prefix / "bin/opsight", "profile", "--check"), r"(?m)^nvtx +yes ")
        script = "import opsight\nwith opsight.annotate('here'): pass"
        self.run_in(folder, prefix / "bin/opsight", "profile", "-o", "run.opsight", "--nvtx", "--", sys.executable, "-c", script)
        rows = self.run_in(folder, prefix / "bin/opsight", "sql", "run.opsight", "SELECT text FROM nvtx_ranges", "--format", "csv")
        self.assertIn("here", rows)


if __name__ == "__main__":
    unittest.main()
