#!/usr/bin/env python3
"""Time from starting `opsight report` to its end, on a profile of 10 million spans.

Each report over all iterations, over part of them, and with iterations cut anew by another op; the best of
three starts of the command, the file in the page cache.
"""

import json
import os

from bench_tools import FOLDER, best, measured, program, result, scaled, trace_of_corpus

SOURCE = "hta/nccl_parser_config__nccl_data.json.gz"  # 26 932 spans in 9.8 MB, 3 iterations
SPANS = 10_000_000
REPORTS = ("summary", "detailed", "iteration", "kernel", "tensor_core", "op_type", "group_op")
GOAL = "<= 0.5"


def make_profile():
    trace = scaled(trace_of_corpus(SOURCE), "wide.json", 3660)
    profile = os.path.join(FOLDER, "wide.opsight")
    run = measured([program("opsight"), "import", trace, "-o", profile])
    result("10 M spans: import of 3.7 GB", run.seconds, "s")
    os.unlink(trace)
    return profile


def main():
    profile = make_profile()
    info = json.loads(measured([program("opsight"), "info", profile, "--json"]).output)
    spans = sum(info["counts"][kind] for kind in ("kernels", "memcpys", "memsets", "api_calls", "ops", "annotations"))
    result("10 M spans: spans in the profile", spans, "", f">= {SPANS}")
    last = info["iterations"]["total"] - 1
    ranges = {"all": [], "middle half": ["--iter-start", str(last // 4), "--iter-stop", str(last * 3 // 4)],
              "one iteration": ["--iter-start", str(last // 2), "--iter-stop", str(last // 2)],
              "key op": ["--key-op", "Optimizer.step#SGD.step"]}
    for name, options in ranges.items():
        for report in REPORTS:
            command = [program("opsight"), "report", profile, "--report", report, *options]
            result(f"report {report}, {name}", best(command).seconds, "s", GOAL)


if __name__ == "__main__":
    main()
