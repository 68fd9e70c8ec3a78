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


class Conversation:
    """An `opsight sql` that stays open: opening a profile takes longer than most questions."""

    def __init__(self, path):
        self.process = subprocess.Popen([PROGRAM, "sql", path, "--format", "json"], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        atexit.register(self.close)

    def ask(self, query):
        try:
            self.process.stdin.write(query + "\n;\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # what it said follows
        lines = []
        for line in self.process.stdout:
            if line == "\n":  # ends an answer
                return json.loads("".join(lines))
            lines.append(line)
        _, said = self.process.communicate()
        raise AssertionError(f"opsight sql: {query}\nexit code {self.process.returncode}\n{said}")

    def close(self):
        if self.process.returncode is None:
            self.process.communicate()
        atexit.unregister(self.close)


class Profile:
    """An imported trace."""

    conversation = None  # begun with the first question

    def __init__(self, *traces, options=()):
        handle, self.path = tempfile.mkstemp(suffix=".opsight", dir=temporary_folder())
        os.close(handle)
        os.unlink(self.path)
        self.imported = run("import", *traces, "-o", self.path, *options)

    def info(self):
        return json.loads(run("info", self.path, "--json").stdout)

    def rows(self, query):
        if self.conversation is None or self.conversation.process.returncode is not None:
            self.conversation = Conversation(self.path)
        return [types.SimpleNamespace(**row) for row in self.conversation.ask(query)]

    def value(self, query):
        (row,) = self.rows(query)
        (value,) = vars(row).values()
        return value

    def report(self, name, *options):
        return json.loads(run("report", self.path, "--report", name, "--format", "json", *options).stdout)

    def remove(self):
        if self.conversation:
            self.conversation.close()
        os.unlink(self.path)
