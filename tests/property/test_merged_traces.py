#!/usr/bin/env python3
"""Traces of ranks that a tool merged into one file, as people do to look at them together, give what the ranks' own
traces give: SGLang's ProfileMerger names the rank in each `pid`, TraceLens' TraceFuse beside it.

The traces come from outside the repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import json
import os
import tarfile
import unittest

import opsight_cli
from whole_reports import plain, reports_of

CORPUS = opsight_cli.shared_folder("corpus", "kineto")
JOB = "param/dlrm_kineto.tar.gz"
RANKS = 3
APART = 10 ** 7  # more than any pid or correlation id of these traces


def as_sglang(event, rank):
    return dict(event, pid=f"[TP{rank:02d}] {event['pid']}") if "pid" in event else event


def as_sglang_of_two(event, rank):
    """Ranks that differ in two ways: none of the numbers is the rank."""
    return dict(event, pid=f"[TP{rank % 2:02d}-PP{rank // 2:02d}] {event['pid']}") if "pid" in event else event


def as_trace_fuse(event, rank):
    made = dict(event, args=dict(event.get("args", {}), rank=rank))
    for place, key in ((made, "pid"), (made, "id"), (made["args"], "correlation")):
        if key not in place:
            continue
        made["args"][key + "_raw"] = place[key]
        if isinstance(place[key], int):
            place[key] += rank * APART
    return made


@unittest.skipUnless(CORPUS, "no corpus")
class MergedTraces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = opsight_cli.temporary_folder()
        cls.traces = {}
        with tarfile.open(os.path.join(CORPUS, "kineto", JOB)) as members:
            for member in members.getmembers():
                if not member.isfile():
                    continue
                text = members.extractfile(member).read()
                trace = json.loads(text)
                rank = trace["distributedInfo"]["rank"]
                if rank < RANKS:
                    cls.traces[rank] = trace

    @classmethod
    def write(cls, name, trace):
        path = os.path.join(cls.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        return path

    @classmethod
    def import_of(cls, name, *files):
        profile = os.path.join(cls.folder, name + ".opsight")
        opsight_cli.run("import", *files, "-o", profile, "--no-align")
        return profile

    def check(self, form, keeps_header=True, but=()):
        """The profile of the merged trace, whose reports are those of the ranks' own traces with as much of a header."""
        header = dict(self.traces[0], traceEvents=[]) if keeps_header else {}
        alone, together = [], []
        for rank, trace in self.traces.items():
            own = trace if keeps_header else {"traceEvents": trace["traceEvents"]}
            alone.append(self.write(f"{form.__name__}_rank{rank}.json", own))
        for rank in range(RANKS):
            together += (form(event, rank) for event in self.traces[rank]["traceEvents"])
        merged = self.import_of(form.__name__, self.write(form.__name__ + ".json", dict(header, traceEvents=together)))
        wanted = plain(reports_of(self.import_of(form.__name__ + "_alone", *sorted(alone))), but)
        got = plain(reports_of(merged), but)
        self.assertEqual(set(got), set(wanted))
        self.assertGreater(len(wanted["detailed"]), 100)
        for name in sorted(wanted):
            with self.subTest(report=name):
                self.assertEqual(got[name], wanted[name])
        return merged

    def ranks_of(self, profile):
        told = json.loads(opsight_cli.run("sql", profile, "SELECT rank, rank_known FROM ranks ORDER BY rank", "--json").stdout)
        return [(row["rank"], row["rank_known"]) for row in told]

    def test_by_sglang(self):
        self.assertEqual(self.ranks_of(self.check(as_sglang)), [(rank, True) for rank in range(RANKS)])

    def test_by_trace_fuse(self):
        merged = self.check(as_trace_fuse, keeps_header=False, but=("correlation",))
        self.assertEqual(self.ranks_of(merged), [(rank, True) for rank in range(RANKS)])

    def test_ranks_that_differ_in_two_ways(self):
        self.assertEqual(self.ranks_of(self.check(as_sglang_of_two)), [(rank, False) for rank in range(RANKS)])


if not CORPUS:
    opsight_cli.say_skipped("the corpus of real traces is not there ($OPSIGHT_CORPUS)")

if __name__ == "__main__":
    unittest.main()
