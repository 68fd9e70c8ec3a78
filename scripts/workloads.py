#!/usr/bin/env python3
"""Runs workloads of examples/workloads under 'opsight profile' and prints what was recorded of each.

    ./dev workloads                              # all of them: small, training and inference
    ./dev workloads resnet50 gpt --infer         # some of them, inference alone
    ./dev workloads vgg16 --size full --batch 8  # what it does not know goes to the workload
    ./dev workloads --record                     # where there is a GPU: on it, and keeps small recordings

The profiles are in build/workloads (another folder: -o), for 'opsight report' and 'opsight view'.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = ROOT / "examples" / "workloads"
OPSIGHT = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", ROOT / "build" / "bin")) / "opsight"
sys.path.insert(0, str(WORKLOADS))
import runs  # noqa: E402

MOST_BYTES = 4_000_000  # of a recording that is kept
NO_GPU = 3
COLUMNS = ("workload", "mode", "iterations", "found by", "sure", "ms each", "layers", "ops each", "GFLOP each")
FACTS = """
SELECT (SELECT count(*) FROM ops) AS ops,
       (SELECT count(*) FROM layers WHERE path <> '') AS layers"""


def options():
    parser = argparse.ArgumentParser(prog="./dev workloads", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of " + ", ".join(runs.RUNS) + " (default: all)")
    parser.add_argument("--train", action="store_true", help="training alone")
    parser.add_argument("--infer", action="store_true", help="inference alone")
    parser.add_argument("--steps", type=int, default=6, help="of each run (default: 6)")
    parser.add_argument("--record", nargs="?", type=pathlib.Path, const=ROOT / "tests" / "data" / "workloads",
                        metavar="FOLDER", help="run on the GPU and keep the recordings (each below 4 MB), by default in"
                        " tests/data/workloads; ends with 3 where there is no GPU")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build" / "workloads", metavar="FOLDER",
                        help="for the profiles (default: build/workloads)")
    chosen, more = parser.parse_known_args()
    for name in chosen.names:
        if name not in runs.RUNS:
            parser.error(f"no workload \"{name}\": they are {', '.join(runs.RUNS)}")
    return chosen, more


def modes(chosen, command):
    """What tells the runs of a workload apart, by name."""
    if "--infer" in command:
        return {} if chosen.train else {"infer": []}
    both = {"train": ["--train"], "infer": ["--infer"]}
    return {name: words for name, words in both.items() if getattr(chosen, name) or chosen.train == chosen.infer}


def record(profile, words, keep):
    command = [OPSIGHT, "profile", "--force", "-o", profile, *(["--keep-capture"] if keep else []), "--",
               sys.executable, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr.strip()}")


def answer(*arguments):
    done = subprocess.run([OPSIGHT, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def row_of(name, mode, profile):
    iterations = answer("info", profile, "--json")["iterations"]
    summary = answer("report", profile, "--report", "summary", "--all-iterations", "--format", "json")["summary"]
    (facts,) = answer("sql", profile, FACTS, "--format", "json")
    count = max(1, iterations["total"])
    work = summary.get("work") or {}
    flops = work.get("flops")
    return (name, mode, str(iterations["total"]), iterations["source"], f"{iterations['confidence']:.2f}",
            milliseconds(summary["iterations"]), str(facts["layers"]),
            str(facts["ops"] // count), "-" if flops is None else gflops(flops / count, work["flops_at_least"]))


def milliseconds(iterations):
    ns = iterations.get("median_ns", iterations.get("avg_iteration_time_ns"))
    return "-" if ns is None else f"{ns / 1e6:.1f}"


def gflops(flops, at_least):
    return f"{'>= ' if at_least else ''}{flops / 1e9:.3g}"


def keep_recording(folder, name, profile):
    folder.mkdir(parents=True, exist_ok=True)
    for index, path in enumerate(sorted(profile.parent.glob(f"{profile.name}.capture-*/*.opcap"))):
        data = gzip.compress(path.read_bytes(), mtime=0)
        if len(data) > MOST_BYTES:
            print(f"not kept: {name} has {len(data) / 1e6:.1f} MB", file=sys.stderr)
            continue
        (folder / f"{name}-{index}.opcap.gz").write_bytes(data)


def show(rows):
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows)]
    for row in (COLUMNS, *rows):
        print("  ".join(cell.ljust(width) if i in (0, 1, 3) else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))).rstrip())


def main():
    chosen, more = options()
    if chosen.record:
        if not runs.torch.cuda.is_available():
            print("PyTorch finds no GPU here, so nothing was recorded", file=sys.stderr)
            return NO_GPU
        more = ["--device", "cuda", *more]
    chosen.output.mkdir(parents=True, exist_ok=True)
    rows, failed = [], 0
    for name in chosen.names or runs.RUNS:
        script, *words = runs.RUNS[name].split()
        for mode, of_mode in modes(chosen, runs.RUNS[name]).items():
            profile = chosen.output / f"{name}-{mode}.opsight"
            try:
                steps = ["--steps", str(chosen.steps)]
                record(profile, [WORKLOADS / script, *words, *of_mode, *steps, *more], chosen.record)
                rows.append(row_of(name, mode, profile))
                if chosen.record:
                    keep_recording(chosen.record, f"{name}-{mode}", profile)
            except (RuntimeError, subprocess.CalledProcessError) as problem:
                failed += 1
                print(problem, file=sys.stderr)
    show(rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
