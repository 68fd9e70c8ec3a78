#!/usr/bin/env python3
"""Checks the length of files and functions (C++, Python, bash) against the house limits.

usage: check_lengths.py [--exceptions FILE] FILE...    exit 1 and one line per breach

A file may have 500 lines, a function 60. What is longer stands in the exception file as
"PATH LENGTH" or "PATH:FUNCTION LENGTH" with its very length, so that the list can only shrink; nothing may
pass 800 and 120.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cpp_functions  # noqa: E402
import script_functions  # noqa: E402

FILE_LIMIT, FILE_HARD = 500, 800
FUNCTION_LIMIT, FUNCTION_HARD = 60, 120
CPP = {".cpp", ".h", ".c", ".cu", ".hpp"}


def functions_of(path, text):
    """(name, first line, number of lines) of every outermost function."""
    if path.suffix in CPP:
        return cpp_functions.functions(text)
    if path.suffix == ".py":
        return script_functions.python_functions(text)
    if path.suffix == ".sh" or re.match(r"#!.*\b(ba)?sh\b", text):
        return script_functions.bash_functions(text)
    return []


def measure(paths):
    """key -> (length, where, limit, hard limit) of all files and functions; overloads share the longest."""
    lengths = {}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        lengths[str(path)] = (text.count("\n"), f"{path}:1: file", FILE_LIMIT, FILE_HARD)
        for name, line, count in functions_of(path, text):
            key = f"{path}:{name}"
            if count > lengths.get(key, (0,))[0]:
                lengths[key] = (count, f"{path}:{line}: {name}", FUNCTION_LIMIT, FUNCTION_HARD)
    return lengths


def read_exceptions(path):
    entries = {}
    if path:
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                key, length = line.rsplit(None, 1)
                entries[key] = int(length)
    return entries


def breaches(lengths, exceptions):
    found = []
    for key, (count, where, limit, hard) in lengths.items():
        if count > hard:
            found.append(f"{where} has {count} lines, more than the hard limit of {hard}")
        elif count > limit and count > exceptions.get(key, 0):
            found.append(f"{where} has {count} lines, more than {exceptions.get(key, limit)}: split it")
    for key, allowed in exceptions.items():
        count, where, limit, _ = lengths.get(key, (0, key, 0, 0))
        if count <= limit:
            found.append(f"{where} needs no exception any more: remove it from the list")
        elif count < allowed:
            found.append(f"{where} has {count} lines now: lower its exception from {allowed}")
    return found


def main():
    parser = argparse.ArgumentParser(description="Checks the length of files and functions.")
    parser.add_argument("--exceptions")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    found = breaches(measure(args.files), read_exceptions(args.exceptions))
    for line in sorted(found):
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
