"""What npm gives in DuckDB's place is refused unless it is the very files whose hashes are written down."""
import os
import pathlib
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
    @unittest.skipUnless(os.uname().machine == "x86_64", "no prebuilt DuckDB is known for this machine")
    def test_other_bytes_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "scripts").mkdir()
            for name in ("fetch_duckdb.sh", "lib.sh"):
                shutil.copy(ROOT / "scripts" / name, root / "scripts" / name)
            npm = root / "bin" / "npm"
            npm.parent.mkdir()
            npm.write_text(NPM)
            npm.chmod(0o755)
            done = subprocess.run([root / "scripts/fetch_duckdb.sh"], capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{npm.parent}:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 1)
            self.assertIn("npm gave another DuckDB", done.stderr)
            self.assertIn("libduckdb.so: FAILED", done.stderr)
            self.assertFalse((root / "third_party/duckdb/libduckdb.so").exists())


if __name__ == "__main__":
    unittest.main()
