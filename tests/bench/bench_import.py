#!/usr/bin/env python3
"""Import speed, memory and database size, against a bare pass of the JSON parser over the same file.

Sizes: a real trace of 54 MB, and the same scaled to 1 GB; OPSIGHT_BENCH_HUGE=1 adds 5 GB. All in one run, each
the best of three (5 GB: of one).
"""

import os

from bench_tools import FOLDER, best, gunzip, program, result, scaled, trace_of_corpus

SOURCE = "tracelens/inference__xdit_flux.1__capture_traces__capture_trace_rank_0.json.gz"


def remove(path):
    if os.path.exists(path):
        os.unlink(path)


def import_once(trace, times):
    target = os.path.join(FOLDER, "out.opsight")
    run = best([program("opsight"), "import", trace, "-o", target], times, before=lambda: remove(target))
    size = os.path.getsize(target)
    remove(target)
    return run, size


def measure(label, plain, packed, times, goals):
    """Returns the import speed from JSON, in MB/s."""
    size = os.path.getsize(plain)
    bare = size / best([program("bare_pass"), plain], times).seconds / 1e6
    run, database = import_once(plain, times)
    speed = size / run.seconds / 1e6
    result(f"{label}: bare pass of the parser", bare, "MB/s")
    result(f"{label}: import from .json", speed, "MB/s")
    result(f"{label}: import / bare pass", speed / bare, "", ">= 0.5" if goals else "-")
    result(f"{label}: peak memory / JSON", run.peak_bytes / size, "", "<= 0.6" if goals else "-")
    result(f"{label}: database / JSON", database / size, "", "<= 0.1")
    if packed:
        from_packed, _ = import_once(packed, times)
        result(f"{label}: import from .json.gz", size / from_packed.seconds / 1e6, "MB/s")
        result(f"{label}: from .gz / from .json", run.seconds / from_packed.seconds, "", ">= 0.75" if goals else "-")
        result(f"{label}: peak memory from .gz / JSON", from_packed.peak_bytes / size, "", "<= 0.6" if goals else "-")
    return speed


def main():
    source = trace_of_corpus(SOURCE)
    small = gunzip(source, os.path.join(FOLDER, "54MB.json"))
    speeds = [measure("54 MB", small, source, 3, goals=False)]
    big, packed = scaled(source, "1GB.json", 1000), scaled(source, "1GB.json.gz", 1000)
    speeds.append(measure("1 GB", big, packed, 3, goals=True))
    remove(big)
    remove(packed)
    if os.environ.get("OPSIGHT_BENCH_HUGE"):
        huge = scaled(source, "5GB.json", 5000)
        speeds.append(measure("5 GB", huge, None, 1, goals=True))
    result("growth: speed at the largest size / at 54 MB", speeds[-1] / speeds[0], "", ">= 0.8")


if __name__ == "__main__":
    main()
