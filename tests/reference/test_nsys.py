#!/usr/bin/env python3
"""Every export of Nsight Systems in the corpus, imported by opsight, against plain SQL on the source.

The exports come from outside the repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import collections
import glob
import os
import unittest

import nsys_source
import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "nsys-sqlite")


class Case:
    def __init__(self, path):
        self.source = nsys_source.Source(path)
        self.profile = opsight_cli.Profile(path)
        self.shift = int(self.profile.value("SELECT value FROM meta WHERE key = 'origin_ns'")) - self.source.epoch

    def rows(self, columns, view, where="true"):
        """Rows of a view as tuples; the first column is a time, told on the clock of the source."""
        got = self.profile.rows(f"SELECT {columns} FROM {view} WHERE {where}")
        rows = [tuple(vars(row).values()) for row in got]
        return sorted(((row[0] + self.shift,) + row[1:] for row in rows), key=repr)


@unittest.skipUnless(CORPUS, "no corpus")
class NsysCorpusTest(unittest.TestCase):
    maxDiff = 2000

    def test_every_file(self):
        files = sorted(glob.glob(os.path.join(CORPUS, "nsys-sqlite", "*.sqlite")))
        self.assertGreater(len(files), 10)
        for path in files:
            with self.subTest(os.path.basename(path)):
                case = Case(path)
                self.check_counts(case)
                self.check_rows(case)
                self.check_ranges(case)
                self.check_attribution(case)
                case.profile.remove()

    def check_counts(self, case):
        types = ", ".join(map(str, nsys_source.RANGE_TYPES + nsys_source.MARK_TYPES))
        scheduled = "SCHED_EVENTS" in case.source.tables and case.source.count("SCHED_EVENTS", "isSchedIn = 1")
        for view, expected in (
            ("kernels", case.source.count("CUPTI_ACTIVITY_KIND_KERNEL")),
            ("memcpys", case.source.count("CUPTI_ACTIVITY_KIND_MEMCPY")),
            ("memsets", case.source.count("CUPTI_ACTIVITY_KIND_MEMSET")),
            ("device_other WHERE kind = 'wait'", case.source.count("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION")),
            ("api_calls", len(case.source.call_rows())),
            ("nvtx_ranges", case.source.count("NVTX_EVENTS", f"eventType IN ({types})")),
            ("other_spans WHERE kind = 'os_runtime'", case.source.count("OSRT_API")),
            ("other_spans WHERE kind = 'overhead'", case.source.count("PROFILER_OVERHEAD")
             + case.source.count("CUPTI_ACTIVITY_KIND_OVERHEAD")),
            ("other_spans WHERE category = 'cpu_scheduling'", scheduled or 0),
            ("memory_events", case.source.count("CUDA_GPU_MEMORY_USAGE_EVENTS")),
        ):
            self.assertEqual(case.profile.value(f"SELECT count(*) FROM {view}"), expected, view)

    def check_rows(self, case):
        own = case.rows("begin_ns, dur_ns, device, context, stream, name, grid_x, grid_y, grid_z, block_x, block_y, "
                        "block_z, registers_per_thread, static_shared_bytes, dynamic_shared_bytes", "kernels")
        self.assertEqual(own, sorted(case.source.kernels(), key=repr))
        own = case.rows("begin_ns, dur_ns, name, pid, tid, result", "api_calls")
        self.assertEqual(own, sorted(case.source.calls(), key=repr))
        for view, table in (("memcpys", "CUPTI_ACTIVITY_KIND_MEMCPY"), ("memsets", "CUPTI_ACTIVITY_KIND_MEMSET")):
            own = case.rows("begin_ns, dur_ns, device, stream, bytes", view)
            self.assertEqual(own, sorted(case.source.transfers(table), key=repr))

    def check_ranges(self, case):
        own = case.rows("begin_ns, dur_ns, text, pid, tid, domain", "nvtx_ranges")
        expected = [(begin, end - begin, text, pid, tid, domain)
                    for begin, end, text, pid, tid, domain in case.source.ranges()]
        self.assertEqual(own, sorted(expected, key=repr))
        # each is an op, a call of a module, an annotation or data loading, at the same time
        read_as = case.profile.value(
            "SELECT count(*) FROM nvtx_ranges n JOIN (SELECT id, begin_ns, dur_ns FROM ops UNION ALL SELECT id, "
            "begin_ns, dur_ns FROM annotations UNION ALL SELECT id, begin_ns, dur_ns FROM module_calls UNION ALL "
            "SELECT id, begin_ns, dur_ns FROM other_spans) s USING (id, begin_ns, dur_ns)")
        self.assertEqual(read_as, len(expected))

    def check_attribution(self, case):
        own = collections.Counter(case.rows("begin_ns, device, stream, op_name", "kernels"))
        expected = collections.Counter(key + (name,) for key, name in case.source.attribution())
        self.assertEqual(own, expected)


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("exports of Nsight Systems against plain SQL: no corpus (set OPSIGHT_CORPUS)")
    unittest.main()
