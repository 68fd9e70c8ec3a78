#!/usr/bin/env python3
"""Every Kineto trace of the corpus, imported by opsight, against the plain counts of count_trace.py.

Counts, names, times to the nanosecond, and for each kernel, copy and set the op that launched it. The traces
come from outside the repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import collections
import os
import unittest

import count_trace
import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "kineto")
WORK = (("kernels", "kernels"), ("memcpys", "memcpys"), ("memsets", "memsets"))


def raw_name(view, row=""):
    """SQL of a span's name as the trace has it: kernels are shown demangled."""
    return f"coalesce({row}mangled_name, {row}name)" if view == "kernels" else f"{row}name"


class Case:
    """One corpus file: the plain reading of it, and the profile that opsight makes of it."""

    def __init__(self, path):
        self.traces = count_trace.load(path)
        self.profile = opsight_cli.Profile(path)
        self.info = self.profile.info()

    def spans(self, kind):
        return [span for trace in self.traces for span in getattr(trace, kind)]


@unittest.skipUnless(CORPUS, "no corpus")
class CorpusTest(unittest.TestCase):
    def test_every_file(self):
        files = list(count_trace.trace_files(CORPUS))
        self.assertGreater(len(files), 40)
        for path in files:
            with self.subTest(os.path.relpath(path, CORPUS)):
                case = Case(path)
                self.check_counts(case)
                self.check_ranks_and_devices(case)
                self.check_names_and_times(case)
                self.check_attribution(case)
                self.check_nothing_lost(case)
                case.profile.remove()

    def check_counts(self, case):
        counts = case.info["counts"]
        for ours, kind in WORK + (("api_calls", "api"), ("ops", "ops"), ("python_frames", "python")):
            self.assertEqual(counts[ours], len(case.spans(kind)), ours)
        # waits for input data are annotations in the trace, and a kind of their own in the profile
        waits = case.profile.value("SELECT count(*) FROM other_spans WHERE kind = 'dataload'")
        self.assertEqual(counts["annotations"] + waits, len(case.spans("annotations")), "annotations")
        for view, _ in WORK + (("api_calls", ""), ("ops", ""), ("annotations", "")):
            self.assertEqual(case.profile.value(f"SELECT count(*) FROM {view}"), counts[view], view)

    def check_ranks_and_devices(self, case):
        ranks = [row.rank for row in case.profile.rows("SELECT rank FROM ranks")]
        self.assertEqual(len(ranks), len(case.traces))
        known = sorted(trace.rank for trace in case.traces if trace.rank is not None)
        if len(known) == len(case.traces):
            self.assertEqual(sorted(ranks), known)
        devices = collections.Counter(row.device for row in case.profile.rows("SELECT device FROM devices"))
        expected = collections.Counter()
        for trace in case.traces:
            declared = {device["id"] for device in trace.declared_devices}
            expected.update(declared | trace.devices_used())
        self.assertEqual(devices, expected)
        self.assertEqual(len(case.info["devices"]), sum(expected.values()))
        self.assertEqual(len(case.info["ranks"]), len(ranks))

    def check_names_and_times(self, case):
        """Each (name, begin, duration), exactly; begin counts from one origin."""
        origin = int(case.profile.value("SELECT value FROM meta WHERE key = 'origin_ns'"))
        for view, kind in WORK + (("ops", "ops"), ("api_calls", "api")):
            spans = case.spans(kind)
            ours = collections.Counter(
                (row.name, row.begin_ns, row.dur_ns)
                for row in case.profile.rows(f"SELECT {raw_name(view)} AS name, begin_ns, dur_ns FROM {view}"))
            theirs = collections.Counter((span.name, span.begin - origin, span.dur) for span in spans)
            self.assertEqual(ours - theirs, collections.Counter(), f"{view} that are not in the trace")
            self.assertEqual(theirs - ours, collections.Counter(), f"{view} that are not in the profile")
        total = case.profile.value("SELECT coalesce(sum(dur_ns), 0)::BIGINT FROM kernels")
        self.assertEqual(total, sum(kernel.dur for kernel in case.spans("kernels")))

    def check_attribution(self, case):
        """(kind, name, duration, begin of the call, name and duration of the op), for all device work."""
        origin = int(case.profile.value("SELECT value FROM meta WHERE key = 'origin_ns'"))
        theirs, alone = collections.Counter(), 0
        for trace in case.traces:
            kernels = set(map(id, trace.kernels))
            for span, call, op in trace.launches():
                alone += call is None and id(span) in kernels
                theirs[span.name, span.begin - origin, span.dur, call and call.begin - origin,
                       op and op.name, op and op.begin - origin, op and op.dur] += 1
        ours = collections.Counter()
        for view, _ in WORK:
            ours.update((row.name, row.begin_ns, row.dur_ns, row.call, row.op, row.op_begin, row.op_dur)
                        for row in case.profile.rows(f"""
                SELECT {raw_name(view, "w.")} AS name, w.begin_ns AS begin_ns, w.dur_ns AS dur_ns,
                  CASE WHEN w.launch_id IS NOT NULL THEN w.launch_ns END AS call,
                  o.name AS op, o.begin_ns AS op_begin, o.dur_ns AS op_dur
                FROM {view} w LEFT JOIN ops o ON o.id = w.op_span"""))
        self.assertEqual(ours - theirs, collections.Counter(), "attribution only in the profile")
        self.assertEqual(theirs - ours, collections.Counter(), "attribution only in the trace")
        self.assertEqual(case.info["counts"]["unattributed_kernels"], alone)

    def check_nothing_lost(self, case):
        """What opsight does not know is kept and counted; what the trace lacks is counted as a plain reading does."""
        lost = {entry["key"]: entry["count"] for entry in case.info["diagnostics"]
                if entry["severity"] in ("data_loss", "error")}
        without_work = sum(trace.launches_without_work() for trace in case.traces)
        behind = sum(entry["count"] for entry in case.info["diagnostics"] if entry["key"] == "work_behind_end")
        lost["lost_device_work"] = lost.get("lost_device_work", 0) + behind
        self.assertEqual(lost, {"lost_device_work": without_work})


class SkipTest(unittest.TestCase):
    def test_the_reader_itself(self):
        """A trace small enough to count by hand: integer times, a tie, a lying id, a call outside all ops."""
        trace = count_trace.Trace("""{"baseTimeNanoseconds": 5000, "distributedInfo": {"rank": 3}, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 10.5, "dur": 5.25},
            {"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 2, "ts": 10.5, "dur": 2},
            {"ph": "X", "cat": "cuda_runtime", "name": "L", "pid": 1, "tid": 2, "ts": 11, "dur": 1,
             "args": {"correlation": 7}},
            {"ph": "X", "cat": "cuda_runtime", "name": "L", "pid": 1, "tid": 2, "ts": 15.75, "dur": 1,
             "args": {"correlation": 8}},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 12, "dur": 3,
             "args": {"correlation": 7, "External id": 99, "device": 0}},
            {"ph": "X", "cat": "gpu_memset", "name": "s", "pid": 0, "tid": 7, "ts": 17, "dur": 1,
             "args": {"correlation": 8, "device": 1}},
            {"ph": "M", "name": "process_name", "pid": 1}]}""")
        self.assertEqual((trace.rank, trace.base_ns, len(trace.ops), len(trace.api)), (3, 5000, 2, 2))
        self.assertEqual(trace.devices_used(), {0, 1})
        (kernel, call, op), (memset, other, nothing) = trace.launches()
        self.assertEqual((kernel.name, kernel.dur, call.begin, op.name), ("k", 3000, 16000, "b"))
        self.assertEqual((memset.name, other.begin, nothing), ("s", 20750, None))


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("comparison with the corpus: set OPSIGHT_CORPUS to the folder of traces")
    unittest.main()
