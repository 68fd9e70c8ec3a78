"""Runs the opsight program for the checks in tests/, through its public faces only."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(os.environ.get("OPSIGHT_BIN_DIR", os.path.join(HERE, "..", "build", "bin")), "opsight")

_folder = None


def temporary_folder():
    """One folder per run of the tests, removed at the end."""
    global _folder
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="opsight-test-")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder


def run(*arguments, check=True, **options):
    done = subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"opsight {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
    return done


def shared_folder(name, inside):
    """$OPSIGHT_<NAME>, or ../shared/<name> beside the repository; None where it is not there."""
    folder = os.environ.get(f"OPSIGHT_{name.upper()}", os.path.join(HERE, "..", "..", "shared", name))
    return os.path.normpath(folder) if os.path.isdir(os.path.join(folder, inside)) else None


def say_skipped(what):
    print(f"\n*** SKIPPED: {what} ***\n", file=sys.stderr)


class Profile:
    """An imported trace."""

    def __init__(self, *traces, options=()):
        handle, self.path = tempfile.mkstemp(suffix=".opsight", dir=temporary_folder())
        os.close(handle)
        os.unlink(self.path)
        self.imported = run("import", *traces, "-o", self.path, *options)

    def info(self):
        return json.loads(run("info", self.path, "--json").stdout)

    def rows(self, query):
        text = run("sql", self.path, query, "--format", "json").stdout
        return [types.SimpleNamespace(**row) for row in json.loads(text)]

    def value(self, query):
        (row,) = self.rows(query)
        (value,) = vars(row).values()
        return value

    def report(self, name, *options):
        return json.loads(run("report", self.path, "--report", name, "--format", "json", *options).stdout)

    def remove(self):
        os.unlink(self.path)
