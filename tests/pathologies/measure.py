"""Runs a planted fault with and without its fix, bare and recorded, and holds the advice against what was measured."""
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys

import cases
import opsight_cli
import simulated

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = os.environ.get("OPSIGHT_PYTHON") or sys.executable
WARM = 4  # iterations, as in programs/training.py
MICROSECOND = 0.001  # ms; what is told is whole
SECONDS = 300  # a program that takes longer hangs


@dataclasses.dataclass
class Result:
    case: object
    fault_ms: float  # of an iteration, bare
    fixed_ms: float
    first: str           # the finding that comes first; empty: there is none above a note
    place: int           # of the fault's own finding, from 1 on; 0: it is not named
    bound_ms: float      # None: the fault is not named, or its finding has no bound
    predicted_ms: float  # None: no replay can say it
    gone: bool           # the fixed program's advice does not name the fault
    left: tuple          # findings above a note of the fixed program
    least_gain_ms: float = None  # of the pairs of runs; None: as gain_ms

    @property
    def gain_ms(self):
        return self.fault_ms - self.fixed_ms

    @property
    def bound_holds(self):
        """A bound below the least gain of all pairs of runs is broken; above it noise may have made the gain."""
        least = self.gain_ms if self.least_gain_ms is None else self.least_gain_ms
        return None if self.bound_ms is None else self.bound_ms >= least - MICROSECOND

    @property
    def ratio(self):
        return None if self.predicted_ms is None or self.gain_ms <= 0 else self.predicted_ms / self.gain_ms


def command(case, fixed, iterations):
    program = str(HERE / "programs" / (case.program + ".py"))
    return [PYTHON, "-B", program, "--iterations", str(iterations), *(["--fixed"] if fixed else [])]


def told(done, what):
    """The times of its iterations that a program prints."""
    if done.returncode != 0:
        raise RuntimeError("%s: exit code %d\n%s" % (what, done.returncode, done.stderr))
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])["iteration_ms"]


def run_bare(case, fixed, iterations, folder):
    done = subprocess.run(command(case, fixed, iterations), cwd=folder, text=True, capture_output=True, timeout=SECONDS)
    return told(done, case.program)


def record(case, fixed, iterations, folder):
    path = os.path.join(folder, case.program + ("-fixed" if fixed else "") + ".opsight")
    done = opsight_cli.run("profile", "-o", path, "--force", "--skip-iterations", WARM, "--",
                           *command(case, fixed, iterations), check=False, cwd=folder, timeout=SECONDS)
    told(done, case.program)
    return path


def weighty(advice):
    return [finding for finding in advice["findings"] if finding["severity"] != "note"]


def advice_on(path, rules=()):
    only = [word for rule in rules for word in ("--rule", rule)]
    return json.loads(opsight_cli.run("advise", path, "--predict", "--format", "json", *only).stdout)


def predicted_ms(path, case):
    if not case.suppose:
        return None
    answer = json.loads(opsight_cli.run("whatif", path, *case.suppose, "--format", "json").stdout)
    predicted = answer.get("prediction")  # none where the replay does not give the measured time
    return predicted[0]["saved_ns"] / 1e6 if predicted else None


def ms(ns):
    return None if ns is None else ns / 1e6


def judge(case, findings, left):
    """What advice says of the fault. findings, left: of the program with it and without it, none a mere note."""
    own = [(place, finding) for place, finding in enumerate(findings, 1) if finding["id"] in case.rules]
    place, finding = own[0] if own else (0, None)
    bound = finding and finding.get("bound")
    return {"first": findings[0]["id"] if findings else "", "place": place,
            "rules": sorted({each["rule"] for _, each in own}), "bound_ms": ms(bound["ns"]) if bound else None,
            "predicted_ms": ms(bound.get("predicted_ns")) if bound else None,
            "gone": not any(each["id"] in case.rules for each in left), "left": tuple(each["id"] for each in left)}


def undisturbed(times):
    """The lower quartile: what else runs on the machine only adds."""
    return sorted(times)[len(times) // 4]


def collect(case, iterations, repeats, folder):
    """Bare times in ms, one for each run, and the profile, with the fault (False) and without it (True).

    Bare runs with and without the fault take turns, so that both meet the same noise.
    """
    bare = {fixed: [] for fixed in (False, True)}
    for _ in range(repeats):
        for fixed, times in bare.items():
            times.append(undisturbed(run_bare(case, fixed, iterations, folder)))
    return (bare, {fixed: record(case, fixed, iterations, folder) for fixed in bare})


def assess(case, bare, profiles):
    judged = judge(case, weighty(advice_on(profiles[False])), weighty(advice_on(profiles[True])))
    rules = judged.pop("rules")
    if len(rules) > 1 and judged["bound_ms"] is not None:  # the fault is in parts: they are united, not added up
        judged["bound_ms"] = ms(advice_on(profiles[False], rules)["combined"]["ns"])
    if judged["predicted_ms"] is None:
        judged["predicted_ms"] = predicted_ms(profiles[False], case)
    return Result(case=case, fault_ms=statistics.median(bare[False]), fixed_ms=statistics.median(bare[True]),
                  least_gain_ms=min(fault - fixed for fault, fixed in zip(bare[False], bare[True])), **judged)


def measure(case, iterations, repeats, folder):
    return assess(case, *collect(case, iterations, repeats, folder))


def simulate(program, folder):
    """The same of a made-up run: what it gains is the simulation's own, which no noise changes."""
    case = cases.Case(simulated.name_of(program), program.rules, program.suppose)
    bare, profiles = {}, {}
    for fixed in (False, True):
        trace = os.path.join(folder, case.program + ("-fixed" if fixed else "") + ".json")
        bare[fixed] = [simulated.write(program, fixed, trace)]
        profiles[fixed] = trace + ".opsight"
        opsight_cli.run("import", trace, "-o", profiles[fixed], "--force")
    return assess(case, bare, profiles)
