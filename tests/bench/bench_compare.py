#!/usr/bin/env python3
"""Time from starting `opsight compare` on two profiles of 10 million spans to its first table, neither file in the page cache,
and how the comparison of two trees of ops grows with their size."""

import os
import shutil
import statistics

from bench_tools import FOLDER, measured, program, result, scaled, trace_of_corpus

SOURCE = "hta/nccl_parser_config__nccl_data.json.gz"
MEGABYTES = int(os.environ.get("BENCH_COMPARE_MEGABYTES", "3660"))  # 3660: 10 million spans
SIZES = (10_000, 20_000, 40_000, 80_000)


def make_profiles():
    trace = scaled(trace_of_corpus(SOURCE), "wide.json", MEGABYTES)
    base, new = (os.path.join(FOLDER, name) for name in ("base.opsight", "new.opsight"))
    measured([program("opsight"), "import", trace, "-o", base])
    os.unlink(trace)
    shutil.copyfile(base, new)
    return base, new


def forget(*paths):
    """Puts the files out of the page cache."""
    for path in paths:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main():
    base, new = make_profiles()
    runs = []
    for _ in range(3):
        forget(base, new)
        runs.append(measured([program("opsight"), "compare", base, new]))
    result("compare, two profiles, cold: first table", min(run.seconds for run in runs), "s", "<= 2")
    result("compare, two profiles: memory", max(run.peak_bytes for run in runs) / 1e9, "GB", "<= 1")
    lines = measured([program("compare_pass"), *map(str, SIZES)]).output.split("\n")
    times = {int(ops): float(ms) for ops, ms in (line.split() for line in lines if line)}
    result(f"comparison of trees of {SIZES[-1]} ops", times[SIZES[-1]], "ms")
    growth = [times[b] / times[a] / (b / a) for a, b in zip(SIZES, SIZES[1:])]
    result("time of trees twice as large, over twice the time", statistics.median(growth), "", "<= 1.3")


if __name__ == "__main__":
    main()
