"""Holistic Trace Analysis's definitions, from the rows of a profile of one rank.

- Times are whole microseconds, rounded inward: begin up, end down. Its reader keeps begin and duration as
  doubles; a trace with decimals since 1970 has 0.25 us of resolution left by then (`coarse`).
- With more than one ProfilerStep, work without a launching call is dropped, and so is work launched after the
  last step (`include_last`) or from the begin of the last step on (else).
- Everything on a stream counts, waits (cuda_sync) too: kernel time = last end - first begin, idle = what no span
  covers, compute = union of what is named neither as communication nor as memory, non-compute = the rest.
- Communication is what is named nccl..., memory Memcpy... or Memset...
"""

import math
import re

from intervals import intersect, length, merge, subtract


class Hta:
    def __init__(self, rows, include_last, coarse):
        self.coarse = coarse
        steps = rows.steps()
        self.spans = []  # (name, class, begin, end), times in us
        for work in rows.work:
            if work.stream == -1:  # waits of the whole device
                continue
            if len(steps) > 1:
                if work.call is None:
                    continue
                call = self.up(work.call)
                if include_last and call > max(self.down(step.begin, step.dur) for step in steps):
                    continue
                if not include_last and call >= max(self.up(step.begin) for step in steps):
                    continue
            self.spans.append((work.name, kernel_class(work), self.up(work.begin), self.down(work.begin, work.dur)))

    def up(self, ns):
        return math.ceil(ns / 1000) if self.coarse else -(-ns // 1000)

    def down(self, begin, dur):
        return math.floor(begin / 1000 + dur / 1000) if self.coarse else (begin + dur) // 1000

    def covered(self, *classes):
        return merge((begin, end) for _, kind, begin, end in self.spans if kind in classes)

    def kernels(self):
        """name -> (sum, max, min) in us, copies and sets included, waits not."""
        durations = {}
        for name, kind, begin, end in self.spans:
            if kind != "SYNC":
                durations.setdefault(name, []).append(end - begin)
        return {name: (sum(values), max(values), min(values)) for name, values in durations.items()}

    def temporal(self):
        everything = length(self.covered("COMPUTATION", "COMMUNICATION", "MEMORY", "SYNC"))
        first, last = min(span[2] for span in self.spans), max(span[3] for span in self.spans)
        compute = length(self.covered("COMPUTATION"))
        return {"kernel_time(us)": last - first, "idle_time(us)": last - first - everything,
                "compute_time(us)": compute, "non_compute_time(us)": everything - compute}

    def overlap_percent(self):
        communication = self.covered("COMMUNICATION")
        if not communication:
            return None
        return 100 * length(intersect(self.covered("COMPUTATION"), communication)) / length(communication)

    def by_type(self):
        """Time by which classes ran at once: "COMPUTATION overlapping MEMORY" -> us"""
        kinds = ["COMPUTATION", "COMMUNICATION", "MEMORY"]
        times = {}
        for mask in range(1, 8):
            inside = [kind for bit, kind in enumerate(kinds) if mask >> bit & 1]
            area = self.covered(inside[0])
            for kind in inside[1:]:
                area = intersect(area, self.covered(kind))
            for kind in kinds:
                if kind not in inside:
                    area = subtract(area, self.covered(kind))
            if area:
                times[" overlapping ".join(inside)] = length(area)
        return times


def kernel_class(work):
    if work.kind == "sync":
        return "SYNC"
    if re.match(r"(hip)?Mem(cpy|set)|dma", work.name):
        return "MEMORY"
    return "COMMUNICATION" if re.match(r"nccl|hip|hccl", work.name) else "COMPUTATION"
