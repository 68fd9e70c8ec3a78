"""What gpu_check.py concludes from numbers; kept apart so that it can be tested without a GPU.

Kernels are rows of (name, duration in ns). A verdict is (passed, text).
"""
import json


def kernels_of_trace(path):
    """Kernels of a trace of torch.profiler."""
    import gzip
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    return [(event["name"], round(event["dur"] * 1000)) for event in events
            if event.get("cat") == "kernel" and event.get("ph") == "X"]


def _totals(kernels):
    totals = {}
    for name, duration in kernels:
        count, time = totals.get(name, (0, 0))
        totals[name] = (count + 1, time + duration)
    return totals


def compare_kernels(ours, theirs, tolerance=0.01):
    """The same steps recorded by us and by torch.profiler: the same kernels as often, and the same time in all."""
    if not ours or not theirs:
        return False, f"{len(ours)} kernels recorded by Opsight, {len(theirs)} by torch.profiler: nothing to compare"
    mine, other = _totals(ours), _totals(theirs)
    odd = sorted((abs(mine.get(name, (0, 0))[0] - other.get(name, (0, 0))[0]), name)
                 for name in mine.keys() | other.keys())
    odd = [(difference, name) for difference, name in odd if difference]
    if odd:
        difference, name = odd[-1]
        return False, (f"{len(odd)} kernels were not counted alike; most: {name[:80]}, "
                       f"{mine.get(name, (0, 0))[0]} by Opsight, {other.get(name, (0, 0))[0]} by torch.profiler")
    own, reference = (sum(duration for _, duration in kernels) for kernels in (ours, theirs))
    share = abs(own - reference) / reference if reference else float(own > 0)
    text = f"{len(ours)} kernels, {own / 1e6:.3f} ms by Opsight, {reference / 1e6:.3f} ms by torch.profiler, {share:.2%} apart"
    return share <= tolerance, text


def compare_counts(told, found):
    """What a sample says that it did, against what was recorded."""
    wrong = [f"{key}: {found.get(key, 0)} recorded of {count}" for key, count in told.items()
             if key in ("kernels", "copies", "sets") and found.get(key, 0) != count]
    return not wrong, "; ".join(wrong) or ", ".join(f"{count} {key}" for key, count in told.items())


def compare_overhead(bare, ours, theirs):
    """Seconds of the same steps, each the best of some runs. No goal: figures that are shown beside each other."""
    if min(bare, ours, theirs) <= 0:
        return False, "a run took no time"
    return True, f"Opsight {ours / bare - 1:+.1%}, torch.profiler {theirs / bare - 1:+.1%} of {bare:.3f} s"


def compare_tensor_cores(evidence, counted):
    """`evidence`: name of a kernel to yes, no or unknown; `counted`: name to Tensor Core instructions."""
    wrong = sorted(name for name, instructions in counted.items()
                   if evidence.get(name, "unknown") != "unknown" and (evidence[name] == "yes") != (instructions > 0))
    judged = sum(evidence.get(name, "unknown") != "unknown" for name in counted)
    if wrong:
        return False, f"{len(wrong)} of {judged} kernels judged otherwise than the counters: {wrong[0][:80]}"
    return judged > 0, f"{judged} of {len(counted)} kernels judged as the counters do"
