#!/usr/bin/env python3
"""A store of generated jobs: push rate, bytes, latency of reports, and whether planted slow ranks, links and layers are named
first. Distributions are those of the corpus' job of eight ranks. OPSIGHT_FLEET_RANKS sets the size of the large job (256)."""

import json
import os
import shutil
import sys
import time

import bench_tools

DLRM = os.path.join(bench_tools.CORPUS, "kineto", "param", "dlrm_kineto.tar.gz")
RANKS = int(os.environ.get("OPSIGHT_FLEET_RANKS", "256"))
JOBS = int(os.environ.get("OPSIGHT_FLEET_JOBS", "1000"))
ITERATIONS, OPS = 100, 500


def opsight(*arguments):
    return bench_tools.measured([bench_tools.program("opsight"), *arguments])


def generate(source, store, jobs, ranks, level):
    shutil.rmtree(store, ignore_errors=True)
    run = bench_tools.measured([bench_tools.program("fleet_jobs"), source, store, str(jobs), str(ranks), str(ITERATIONS),
                                str(OPS), level])
    return run, [line.split("\t") for line in run.output.splitlines()]


def bytes_of(store):
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(store) for name in names)


def latency(store, name, *options):
    """The slowest of seven runs of the whole command."""
    times = []
    for _ in range(7):
        begin = time.monotonic()
        opsight("fleet", "report", store, "--report", name, "--json", "--limit", "20", *options)
        times.append(time.monotonic() - begin)
    return max(times)


def named_first(store, planted, report, right):
    """Of the jobs those whose first row of the report is what was planted."""
    rows = json.loads(opsight("fleet", "report", store, "--report", report, "--json").output)
    first = {}
    for row in rows:
        first.setdefault(row["run"], row)
    return sum(job[0] in first and right(first[job[0]], job) for job in planted) / len(planted) * 100


def main():
    if not os.path.exists(DLRM):
        print("*** SKIPPED: param/dlrm_kineto.tar.gz is not in the corpus (OPSIGHT_CORPUS) ***", file=sys.stderr)
        return
    source, store = (os.path.join(bench_tools.FOLDER, name) for name in ("source", "store"))
    opsight("fleet", "push", DLRM, "--to", source)

    run, planted = generate(source, store, 1, RANKS, "all")
    rows = RANKS * ITERATIONS * OPS
    bench_tools.result(f"job of {RANKS} ranks, {ITERATIONS} iterations, {OPS} ops: made and pushed", run.seconds, "s")
    bench_tools.result("rows of ops each second, generator and all other tables included", rows / run.seconds, "/s")
    bench_tools.result("bytes of the store for each rank", bytes_of(store) / RANKS, "bytes")
    bench_tools.result("most memory of the push", run.peak_bytes / 1e6, "MB")
    for name in ("runs", "ranks", "hosts", "iterations", "ops", "layers", "imbalance", "links", "findings"):
        bench_tools.result(f"report {name} over one job, slowest of 7", latency(store, name), "s", "<= 1")

    run, planted = generate(source, store, 100, 64, "all") if RANKS >= 256 else generate(source, store, 10, 16, "all")
    for name in ("runs", "ranks", "ops", "findings"):
        bench_tools.result(f"report {name} over {len(planted)} jobs, slowest of 7", latency(store, name), "s", "<= 3")
    bench_tools.result("planted slow links named first", named_first(
        store, planted, "links", lambda row, job: row["process_group"] == job[3]), "%", ">= 99")
    bench_tools.result("planted slow layers named first", named_first(
        store, planted, "imbalance", lambda row, job: (row["longest_rank"], row["layer"]) == (int(job[4]), job[5])), "%",
        ">= 99")

    run, planted = generate(source, store, JOBS, 64, "ranks")
    bench_tools.result(f"planted slow ranks named first, of {JOBS} jobs", named_first(
        store, planted, "ranks", lambda row, job: row["rank"] == int(job[1])), "%", ">= 99")


if __name__ == "__main__":
    main()
