"""What npm gives in DuckDB's place is refused unless it is the very files whose hashes are written down."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Packs what stands in for DuckDB, as `npm pack` would.
NPM = """#!/bin/sh
mkdir -p package/src/duckdb/src/include
echo other >package/libduckdb.so
echo other >package/src/duckdb/src/include/duckdb.h
echo other >package/LICENSE
for spec in "$@"; do
    case $spec in
    @duckdb/*) tar czf "duckdb-$(echo "${spec#@duckdb/}" | tr @ -).tgz" package ;;
    duckdb@*) tar czf "duckdb-${spec#duckdb@}.tgz" package ;;
    esac
done
"""


class FetchDuckdb(unittest.TestCase):
    def fetch(self, root):
        (root / "scripts").mkdir()
        for name in ("fetch_duckdb.sh", "lib.sh"):
            shutil.copy(ROOT / "scripts" / name, root / "scripts" / name)
        npm = root / "bin" / "npm"
        npm.parent.mkdir()
        npm.write_text(NPM)
        npm.chmod(0o755)
        return subprocess.run([root / "scripts/fetch_duckdb.sh"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{npm.parent}:{os.environ['PATH']}"})

    @unittest.skipUnless(os.uname().machine == "x86_64", "no prebuilt DuckDB is known for this machine")
    def test_other_bytes_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            done = self.fetch(root)
            self.assertEqual(done.returncode, 1)
            self.assertIn("npm gave another DuckDB", done.stderr)
            self.assertIn("libduckdb.so: FAILED", done.stderr)
            self.assertFalse((root / "third_party/duckdb/libduckdb.so").exists())

    @unittest.skipUnless(os.uname().machine == "x86_64", "no prebuilt DuckDB is known for this machine")
    def test_other_bytes_that_are_there_already_are_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            there = root / "third_party" / "duckdb"
            there.mkdir(parents=True)
            bindings = re.search(r"bindings=(\S+)", (ROOT / "scripts/fetch_duckdb.sh").read_text(encoding="utf-8"))[1]
            for name, text in (("VERSION", bindings), ("libduckdb.so", "other"), ("duckdb.h", "other")):
                (there / name).write_text(text)
            done = self.fetch(root)
            self.assertEqual(done.returncode, 1)
            self.assertIn("npm gave another DuckDB", done.stderr)


if __name__ == "__main__":
    unittest.main()
