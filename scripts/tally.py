#!/usr/bin/env python3
"""Adds up the results of ./dev test: the single tests inside every ctest entry.

usage: tally.py FOLDER    reads FOLDER/SUITE.junit (ctest) and FOLDER/SUITE/*.xml (GoogleTest);
prints what was skipped, what passed only when it was tried again, and what failed, with the words of the case that
failed, then "N passed, N failed, N skipped"; exit 1 where a test failed.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter

RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
OUTCOME = re.compile(r"^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
VITEST = re.compile(r"^\s*Tests\s+(?:(\d+) failed \| )?(\d+) passed(?: \| (\d+) skipped)?", re.MULTILINE)
FAILED_PYTHON = re.compile(r"^=+\n(?:FAIL|ERROR): ([^\n]*)\n-+\n(.*?)(?=^=+$|^-+\nRan |\Z)", re.MULTILINE | re.DOTALL)
FAILED_VITEST = re.compile(r"^\s*FAIL\s+([^\n]*)\n(.*?)(?=^\s*FAIL\s|^⎯|\Z)", re.MULTILINE | re.DOTALL)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SKIPPED_PYTHON = re.compile(r"^(\S+ \(\S+\)).*\.\.\. skipped (.*)$", re.MULTILINE)
RETRIED = re.compile(r"^RETRIED  (.*)$", re.MULTILINE)
LINES_TOLD = 12  # of what a failed case said


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []   # (name, what it said)
        self.skipped = []  # (name, reason)
        self.retried = []  # passed at a second attempt only, with what the first said

    def add_gtest(self, path):
        for case in ET.parse(path).getroot().iter("testcase"):
            name = f"{case.get('classname')}.{case.get('name')}"
            skip = case.find("skipped")
            failure = case.find("failure")
            if failure is not None:
                self.failed.append((name, failure.get("message") or ""))
            elif skip is not None:
                self.skipped.append((name, (skip.get("message") or "").strip().split("\n")[-1]))
            elif case.get("status") != "notrun":
                self.passed += 1

    def add_unittest(self, name, output):
        """The counts of a Python unittest run, from its last lines."""
        total = sum(int(n) for n in RAN.findall(output))
        counts = Counter()
        for outcome in OUTCOME.findall(output):
            counts.update({k: int(v) for k, v in re.findall(r"([\w ]+)=(\d+)", outcome.replace(", ", ","))})
        bad = counts["failures"] + counts["errors"] + counts["unexpected successes"]
        reasons = SKIPPED_PYTHON.findall(output)
        reasons += [(name, "")] * (counts["skipped"] - len(reasons))
        self.skipped += reasons
        self.add_failed(name, FAILED_PYTHON.findall(output), bad)
        self.passed += max(0, total - bad - len(reasons))

    def add_failed(self, entry, told, count):
        """`told`: (case, words) found in the output of an entry of which `count` cases failed."""
        told = list(dict(told).items())[:count]
        self.failed += [(f"{entry}: {case}", words) for case, words in told]
        self.failed += [(f"{entry} (a case of it)", "")] * (count - len(told))

    def add_ctest(self, case, unit_results):
        name, status = case.get("name"), case.get("status")
        output = COLOURS.sub("", case.findtext("system-out") or "")
        before = len(self.failed)
        self.retried += [f"{name}: {told}" for told in RETRIED.findall(output)]
        if status == "notrun" or case.find("skipped") is not None:
            self.skipped.append((name, output.strip().split("\n")[-1]))
            return
        if unit_results.is_file():
            self.add_gtest(unit_results)
        elif RAN.search(output):
            self.add_unittest(name, output)
        elif tests := VITEST.search(output):
            self.add_failed(name, FAILED_VITEST.findall(output), int(tests[1] or 0))
            self.passed += int(tests[2])
            self.skipped += [(f"{name} (a case of it)", "")] * int(tests[3] or 0)
        elif status == "run":
            self.passed += 1
        # A crash, a timeout or a leak found at exit fails the entry although no single case did.
        if status != "run" and len(self.failed) == before:
            self.failed.append((name, output))


def last_lines(words):
    return [line for line in words.splitlines() if line.strip()][-LINES_TOLD:]


def collect(folder):
    tally = Tally()
    for junit in sorted(folder.glob("*.junit")):
        for case in ET.parse(junit).getroot().iter("testcase"):
            program = case.get("name").replace("unit_", "test_", 1)
            tally.add_ctest(case, folder / junit.stem / f"{program}.xml")
    return tally


def main():
    tally = collect(pathlib.Path(sys.argv[1]))
    for name, reason in tally.skipped:
        print(f"SKIPPED  {name}: {reason or 'no reason given'}")
    for told in tally.retried:
        print(f"RETRIED  {told}")
    for name, words in tally.failed:
        print("\n".join([f"FAILED   {name}", *(f"         {line}" for line in last_lines(words))]))
    line = f"{tally.passed} passed, {len(tally.failed)} failed"
    print(line + (f", {len(tally.skipped)} skipped" if tally.skipped else ""))
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
