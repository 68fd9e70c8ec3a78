"""A profile's spans as rows with plain fields, for the definitions of other tools.

work:   kind ("kernel", "memcpy", "memset", "sync"), name, rank, stream, begin, dur, call (begin of the launching
        call, None where there is none), op (id of the innermost op at the call or None), external_id
ops:    id, name, rank, track, begin, dur, self_ns, parent (op id or None), external_id
calls:  rank, track, begin, dur, op
ranges: annotations, step markers and loader waits: name, rank, track, begin, dur
Names of kernels are as the trace has them, which other tools do not demangle. Times are integer ns; begin counts from the epoch of the trace's clock.
"""

WORK = " UNION ALL ".join(f"""
SELECT '{kind}' AS kind, {name} AS name, rank, stream, begin_ns AS begin, dur_ns AS dur,
  CASE WHEN launch_id IS NOT NULL THEN launch_ns END AS call, op_span AS op, external_id
FROM {view}""" for kind, view, name in (("kernel", "kernels", "coalesce(mangled_name, name)"),
                                        ("memcpy", "memcpys", "name"), ("memset", "memsets", "name"),
                                        ("sync", "device_other WHERE kind = 'wait'", "name")))

OPS = """
SELECT id, name, rank, track, begin_ns AS begin, dur_ns AS dur, self_ns, parent_op AS parent, external_id FROM ops"""

CALLS = """
SELECT rank, track, begin_ns AS begin, dur_ns AS dur, op_span AS op FROM api_calls"""

RANGES = """
SELECT name, rank, track, begin_ns AS begin, dur_ns AS dur FROM annotations
UNION ALL SELECT name, rank, track, begin_ns, dur_ns FROM other_spans WHERE kind = 'dataload'"""


class Rows:
    def __init__(self, profile):
        self.origin = int(profile.value("SELECT value FROM meta WHERE key = 'origin_ns'"))
        self.work, self.ops = profile.rows(WORK), profile.rows(OPS)
        self.calls, self.ranges = profile.rows(CALLS), profile.rows(RANGES)
        for row in self.work + self.ops + self.calls + self.ranges:
            row.begin += self.origin
        for row in self.work:
            row.call = None if row.call is None else row.call + self.origin

    def ranks(self):
        return sorted({row.rank for row in self.work + self.ops})

    def of_rank(self, rank):
        part = object.__new__(Rows)
        part.origin = self.origin
        for name in ("work", "ops", "calls", "ranges"):
            setattr(part, name, [row for row in getattr(self, name) if row.rank == rank])
        return part

    def kernels(self):
        return [row for row in self.work if row.kind == "kernel"]

    def steps(self):
        marks = [row for row in self.ranges if row.name.startswith("ProfilerStep#")]
        return sorted(marks, key=lambda row: row.begin)
