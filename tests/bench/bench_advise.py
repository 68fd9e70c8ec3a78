#!/usr/bin/env python3
"""Time from starting `opsight advise` and `opsight report` on a profile of 10 million spans to their end, the file not in
the page cache; and that of all rules as a multiple of `opsight info`, which opens the profile and counts what it has."""

import os

from bench_compare import forget, make_profiles
from bench_tools import best, program, result

GOAL = "<= 2"


def main():
    profile, other = make_profiles()
    os.unlink(other)
    runs = {name: best([program("opsight"), name, profile], before=lambda: forget(profile))
            for name in ("info", "advise", "report")}
    for name in ("advise", "report"):
        result(f"{name}, 10 M spans, cold", runs[name].seconds, "s", GOAL)
        result(f"{name}: memory", runs[name].peak_bytes / 1e9, "GB")
    result("advise / info of the same profile", runs["advise"].seconds / runs["info"].seconds, "", "<= 8")


if __name__ == "__main__":
    main()
