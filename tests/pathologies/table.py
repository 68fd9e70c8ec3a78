"""Prints what Opsight's advice makes of programs with planted faults: ./dev pathologies [NAME...]."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

import cases
import measure
import simulated

HEADERS = ("program", "with, ms", "without, ms", "gain, ms", "named", "first finding", "gone", "bound, ms", "holds",
           "predicted, ms", "predicted / gain", "left when fixed")


def arguments():
    parser = argparse.ArgumentParser(
        prog="./dev pathologies", description="Run small programs that each have one known fault, with and without it, "
        "and tell whether 'opsight advise' names the fault and whether what it says to gain is what the fix gains.",
        epilog="example: ./dev pathologies loader_in_process anomaly_mode --repeats 5")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a program; default: all")
    parser.add_argument("--repeats", type=int, default=3, help="bare runs of each program, with the fault and without")
    parser.add_argument("--iterations", type=int, default=16, help="measured iterations of a run")
    chosen = parser.parse_args()
    known = {case.program for case in cases.CASES} | {simulated.name_of(program) for program in simulated.CASES}
    for name in chosen.names:
        if name not in known:
            parser.error("no program '%s'; there are %s" % (name, ", ".join(sorted(known))))
    if chosen.repeats < 1 or chosen.iterations < 1:
        parser.error("--repeats and --iterations are 1 or more")
    return chosen


def number(value, digits=1):
    return "-" if value is None else "%.*f" % (digits, value)


def yes(value):
    return "-" if value is None else "yes" if value else "no"


def cells(result):
    known = bool(result.case.rules)
    return ("`%s`" % result.case.program, number(result.fault_ms), number(result.fixed_ms), number(result.gain_ms),
            "no rule" if not known else str(result.place) if result.place else "no", result.first or "-",
            yes(result.gone if known and result.place else None), number(result.bound_ms), yes(result.bound_holds),
            number(result.predicted_ms), number(result.ratio, 2), ", ".join(result.left) or "-")


def line(texts):
    return "| " + " | ".join(texts) + " |"


def share(of, all_of):
    return "%d of %d" % (sum(1 for each in of if each), len(all_of))


def summary(results):
    named = [result for result in results if result.place]
    bounds = [result.bound_holds for result in named if result.bound_holds is not None]
    ratios = [abs(result.ratio - 1) for result in results if result.ratio is not None]
    yield "Named first: %s faults." % share([result.place == 1 for result in results], results)
    yield "Gone with the fix: %s that are named." % share([result.gone for result in named], named)
    yield "Bound at or above what the fix gained: %s." % share(bounds, bounds)
    if ratios:
        yield "Median |predicted / gain - 1|: %.0f %% of %d." % (100 * statistics.median(ratios), len(ratios))
    yield "Fixed programs with a finding above a note: %s." % share([result.left for result in results], results)


def main():
    chosen = arguments()
    failed = False
    results = []
    place = os.environ.get("TMPDIR", "/var/tmp")  # /tmp may be memory, where a disk is never waited for
    print(line(HEADERS))
    print(line(["---"] * len(HEADERS)), flush=True)
    programs = [(case.program, lambda folder, case=case: measure.measure(case, chosen.iterations, chosen.repeats, folder))
                for case in cases.CASES]
    programs += [(simulated.name_of(program), lambda folder, program=program: measure.simulate(program, folder))
                 for program in simulated.CASES]
    for name, assess in programs:
        if chosen.names and name not in chosen.names:
            continue
        with tempfile.TemporaryDirectory(prefix="opsight-pathology-", dir=place) as folder:
            try:
                results.append(assess(folder))
            except (RuntimeError, AssertionError, subprocess.TimeoutExpired) as error:
                failed = True
                print("%s: %s" % (name, error), file=sys.stderr)
                continue
        print(line(cells(results[-1])), flush=True)
    print()
    for sentence in summary(results):
        print(sentence)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
