#!/usr/bin/env python3
"""Import of an export of Nsight Systems and two reports over NVTX ranges, against reading the same rows once with
plain SQLite. Grows from 10^5 ranges to 10^7; OPSIGHT_BENCH_HUGE=1 goes on to 2 million kernels in 16 million ranges.
"""

import os

from bench_tools import FOLDER, best, measured, program, result

SIZES = [(12_500, 100_000), (125_000, 1_000_000), (1_250_000, 10_000_000)]
HUGE = (2_000_000, 16_000_000)
REPORTS = "nvtx_kern_sum,nvtx_gpu_proj_sum"


def remove(*paths):
    for path in paths:
        if os.path.exists(path):
            os.unlink(path)


def measure(kernels, ranges):
    """Prints the figures of one size; returns rows per second of import and reports together."""
    export, profile = os.path.join(FOLDER, "report.sqlite"), os.path.join(FOLDER, "report.opsight")
    measured([program("nsys_export"), export, "--kernels", str(kernels), "--ranges", str(ranges)])
    times = 3 if ranges <= 1_000_000 else 1
    bare = best([program("bare_sqlite"), export], times)
    rows, seconds = int(bare.output.split()[1]), float(bare.output.split()[3])
    imported = best([program("opsight"), "import", export, "-o", profile, "--quiet"], times, lambda: remove(profile))
    stats = best([program("opsight"), "stats", profile, "--report", REPORTS, "--format", "csv", "--quiet"], times)
    both = imported.seconds + stats.seconds
    label = f"{kernels:,} kernels x {ranges:,} ranges"
    result(f"{label}: plain SQLite, once", seconds, "s")
    result(f"{label}: import", imported.seconds, "s")
    result(f"{label}: nvtx_kern_sum + nvtx_gpu_proj_sum", stats.seconds, "s")
    result(f"{label}: import + reports / plain SQLite", both / seconds, "", "<= 10" if ranges >= 1_000_000 else "-")
    result(f"{label}: peak memory", max(imported.peak_bytes, stats.peak_bytes) / 1e9, "GB", "<= 4")
    result(f"{label}: database / export", os.path.getsize(profile) / os.path.getsize(export), "")
    remove(export, profile)
    return rows / both


def main():
    sizes = SIZES + ([HUGE] if os.environ.get("OPSIGHT_BENCH_HUGE") else [])
    speeds = [measure(*size) for size in sizes]
    result("growth: rows/s at the largest size / at 1,000,000 ranges", speeds[-1] / speeds[1], "", ">= 0.7")


if __name__ == "__main__":
    main()
