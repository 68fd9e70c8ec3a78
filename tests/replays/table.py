"""Prints how far a replay without changes is from what was measured: ./dev replays [FILE...]. docs/WHATIF.md keeps the table."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

OPSIGHT = os.path.join(os.environ["OPSIGHT_BIN_DIR"], "opsight")
KINDS = ("kineto", "nsys-sqlite", "nvprof", "tf-timeline", "xplane", "ort", "onednn", "other")
MOST_OFF = 2  # %, of the median
ON_DEVICES = ("kernel", "collective", "copy", "set", "graph")


def ask(*arguments):
    done = subprocess.run([OPSIGHT, *map(str, arguments)], text=True, capture_output=True)
    return done.stdout if done.returncode == 0 else None, done.stderr


def name_of(path):
    name = path.name
    for end in (".gz", ".tar", ".json", ".pt.trace", ".sqlite"):
        name = name.removesuffix(end)
    return name


def row_of(path, folder):
    """The line of a file, and whether it holds; None where nothing could be replayed, with the reason."""
    profile = os.path.join(folder, "a.opsight")
    if ask("import", path, "-o", profile, "--force")[0] is None:
        return None, "is no run that opsight imports"
    answer, problem = ask("whatif", profile, "--json")
    if answer is None:
        return None, json.loads(problem)["error"]
    told = json.loads(answer)["whatif"]
    base = told["base"]
    parts = [(piece["kind"], piece["share_pct"]) for piece in told["critical_path"]]
    device = sum(share for kind, share in parts if kind in ON_DEVICES)
    host = sum(share for kind, share in parts if kind not in ON_DEVICES + ("delay",))
    holds = base["error_pct"] <= MOST_OFF
    cells = ("`%s`" % name_of(path), base["iterations"], "%.3f" % (base["measured_ns"] / 1e6),
             "%.3f" % (base["replayed_ns"] / 1e6), "%.2f" % base["error_pct"], "%.1f" % base["unexplained_pct"],
             "%.1f" % host, "%.1f" % device, "yes" if base["simulatable"] else "no")
    return "| " + " | ".join(map(str, cells)) + " |", holds


def files_of(chosen):
    if chosen:
        return [pathlib.Path(path) for path in chosen]
    corpus = pathlib.Path(os.environ.get("OPSIGHT_CORPUS", "../shared/corpus"))
    return sorted(path for kind in KINDS for path in (corpus / kind).rglob("*") if path.is_file() and path.suffix != ".md")


def main():
    parser = argparse.ArgumentParser(prog="./dev replays", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="traces or profiles; default: those of OPSIGHT_CORPUS")
    left_out, off, rows = {}, [], 0
    print("| profile | iterations | measured | replayed | error % | unexplained % | host % | device % | simulatable |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="opsight-replays-") as folder:
        for path in files_of(parser.parse_args().files):
            line, told = row_of(path, folder)
            if line is None:
                left_out.setdefault(told, []).append(name_of(path))
                continue
            print(line, flush=True)
            rows += 1
            if not told:
                off.append(name_of(path))
    print("\n%d of %d within %d %%%s" % (rows - len(off), rows, MOST_OFF, ": not " + ", ".join(off) if off else "."))
    for why, names in left_out.items():
        print("- Not replayed, %d: %s (%s)" % (len(names), why, ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")))
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
