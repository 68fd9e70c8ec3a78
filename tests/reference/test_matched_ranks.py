#!/usr/bin/env python3
"""Folders of ranks of the corpus, imported by opsight, against a plain reading: which kernels are one collective, who
came last, waiting, transfer and bandwidths.

The traces come from outside the repository ($OPSIGHT_CORPUS); without them all is skipped, loudly.
"""

import collections
import json
import math
import os
import re
import statistics
import unittest

import count_trace
import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "kineto")
FOLDERS = {"dlrm": ("param/dlrm_kineto.tar.gz",),
           "sampled": ("hta/trace_filter__sampled_rank-0.json.gz", "hta/trace_filter__sampled_rank-1.json.gz"),
           "nccl": ("hta/nccl_parser_config__nccl_data.json.gz",)}
FACTORS = (("all_?reduce", lambda n: 2 * (n - 1) / n), ("gather|scatter|all_?to_?all", lambda n: (n - 1) / n),
           ("broadcast|reduce|send|recv", lambda n: 1))


def factor(name, ranks):
    return next(how(ranks) for pattern, how in FACTORS if re.search(pattern, name, re.IGNORECASE))


class Kernel:
    def __init__(self, rank, event):
        self.rank, self.name, self.args = rank, event["name"], event["args"]
        self.begin, self.dur = count_trace.to_ns(event["ts"]), count_trace.to_ns(event["dur"])

    def end(self):
        return self.begin + self.dur


def read(paths):
    """{rank: [Kernel]} in order of time, and the size of the job."""
    ranks, world = {}, 0
    for path in paths:
        for text in count_trace.read_documents(os.path.join(CORPUS, "kineto", path)):
            document = json.loads(text, parse_float=str)
            about = document["distributedInfo"]
            world = max(world, about["world_size"])
            base = int(document.get("baseTimeNanoseconds", 0))
            kernels = [Kernel(about["rank"], event) for event in document["traceEvents"]
                       if event.get("cat") in count_trace.KERNEL and "nccl" in event["name"]]
            for kernel in kernels:
                kernel.begin += base
            ranks[about["rank"]] = sorted(kernels, key=lambda kernel: kernel.begin)
    return ranks, world


def meet(a, b, by=0):
    return a.begin + by <= b.end() and b.begin <= a.end() + by


def places(kernels, most):
    """How many places later in `most` the kernels run at the same time as those there; None where that is not known."""
    def all_meet(by):
        pairs = [(kernel, most[i + by]) for i, kernel in enumerate(kernels) if 0 <= i + by < len(most)]
        return 2 * len(pairs) >= len(kernels) and all(meet(*pair) for pair in pairs)
    if len(kernels) == len(most) and all_meet(0):
        return 0
    found = [by for by in range(-len(kernels), len(most) + 1) if all_meet(by)]
    return found[0] if len(found) == 1 else None


def may_be_same(kernels, most):
    """With one difference of clocks for each ten, most run at the same time."""
    if len(kernels) != len(most) or len(kernels) < 4:
        return len(kernels) == len(most)
    odd, parts = 0, max(1, len(kernels) // 10)
    for part in range(parts):
        pairs = list(zip(kernels, most))[len(kernels) * part // parts:len(kernels) * (part + 1) // parts]
        apart = statistics.median_high(there.end() - kernel.end() for kernel, there in pairs)
        odd += sum(not meet(*pair, apart) for pair in pairs)
    return 5 * odd <= len(kernels)


def collectives(ranks, world):
    """Lists of kernels that are one collective, with whether all ranks are there."""
    keys = collections.defaultdict(lambda: collections.defaultdict(list))
    for rank in sorted(ranks):
        for kernel in ranks[rank]:
            group = kernel.args.get("Process Group Name", ""), kernel.args.get("Process Group Ranks", "")
            keys[kernel.name, group][rank].append(kernel)
    for by_rank in keys.values():
        most = max(by_rank.values(), key=len)
        moved = {rank: places(kernels, most) for rank, kernels in by_rank.items()}
        if None in moved.values():
            if not all(may_be_same(kernels, most) for kernels in by_rank.values()):
                for kernels in by_rank.values():
                    yield from (([kernel], False) for kernel in kernels)
                continue
            moved = dict.fromkeys(by_rank, 0)
        at = collections.defaultdict(list)
        for rank, kernels in by_rank.items():
            for number, kernel in enumerate(kernels):
                at[number + moved[rank]].append(kernel)
        for members in at.values():
            yield members, len(members) == members[0].args.get("Group size", world) > 1


@unittest.skipUnless(CORPUS, "no corpus")
class RanksTest(unittest.TestCase):
    def test_every_folder(self):
        for name, paths in FOLDERS.items():
            with self.subTest(name):
                self.check(paths)

    def test_sizes_that_ranges_of_nccl_tell(self):
        """Of each collective in DLRM: what the ranges `nccl:` and the ops of the process group say that ranks give and take."""
        path = os.path.join(CORPUS, "kineto", FOLDERS["dlrm"][0])
        widths = {"float": 4, "int": 4, "long int": 8}
        told = collections.defaultdict(list)  # of each rank, in order of time
        for text in count_trace.read_documents(path):
            sizes = collections.defaultdict(list)
            for event in sorted(json.loads(text)["traceEvents"], key=lambda event: event.get("ts", 0)):
                name, args = event["name"], event.get("args", {})
                if name not in ("nccl:all_reduce", "c10d::alltoall_base_"):
                    continue
                shapes = args["Input Dims"][:1 if name == "nccl:all_reduce" else 2]
                kind = "all_reduce" if name == "nccl:all_reduce" else "all_to_all"
                sizes[kind].append(max(math.prod(shape) for shape in shapes) * widths[args["Input type"][0]])
            for kind, found in sizes.items():
                told[kind].append(found)
        most = {kind: [max(one) for one in zip(*ranks)] for kind, ranks in told.items()}
        self.assertEqual({kind: len(ranks) for kind, ranks in told.items()}, {"all_reduce": 8, "all_to_all": 8})
        profile = opsight_cli.Profile(path)
        ours = collections.defaultdict(list)
        for row in profile.report("collective_calls")["collective_calls"]:
            ours[row["collective"]].append(row["bytes"])
            rate = row["bytes"] / row["transfer_ns"] * 1e9
            self.assertAlmostEqual(row["bus_bytes_per_s"] / (rate * factor(row["collective"], 8)), 1, 5)
        self.assertEqual({kind: sorted(sizes) for kind, sizes in ours.items()},
                         {kind: sorted(sizes) for kind, sizes in most.items()})
        self.assertEqual(sum(ours["all_reduce"]), 2_485_252, "as the TensorBoard plugin counts them")
        profile.remove()

    def check(self, paths):
        ranks, world = read(paths)
        profile = opsight_cli.Profile(*(os.path.join(CORPUS, "kineto", path) for path in paths))
        origin = int(profile.value("SELECT value FROM meta WHERE key = 'origin_ns'"))
        ours = {row.call: row for row in profile.rows(
            "SELECT id AS call, state, transfer_ns, waiting_ns, last_rank, bytes, ranks, name FROM collective_calls")}
        members = collections.defaultdict(list)
        for row in profile.rows("SELECT call, rank, begin_ns, dur_ns, waiting_ns FROM collective_members"):
            members[row.call].append((row.rank, row.begin_ns + origin, row.dur_ns, row.waiting_ns))
        by_members = {tuple(m[:3] for m in sorted(found)): call for call, found in members.items()}
        expected = list(collectives(ranks, world))
        self.assertEqual(len(expected), len(ours))
        for kernels, matched in expected:
            call = by_members[tuple((k.rank, k.begin, k.dur) for k in kernels)]
            row = ours[call]
            self.assertEqual(row.state, "matched" if matched else "ranks not recorded")
            if not matched:
                self.assertEqual((row.transfer_ns, row.waiting_ns, row.last_rank), (None, None, None))
                continue
            shortest = min(kernels, key=lambda k: k.dur)
            self.assertEqual(row.last_rank, shortest.rank)
            self.assertEqual(row.transfer_ns, shortest.dur)
            self.assertEqual(row.waiting_ns, sum(k.dur - shortest.dur for k in kernels))
            for (_, _, _, waiting), kernel in zip(sorted(members[call]), kernels):
                self.assertEqual(waiting, kernel.dur - shortest.dur)
        self.check_rates(profile)
        for row in profile.rows("SELECT corrected, broken_before FROM rank_clocks"):
            self.assertEqual((row.corrected, row.broken_before), (False, 0))
        profile.remove()

    def check_rates(self, profile):
        for row in profile.report("collectives")["collectives"]:
            if row["bytes"] is None or row["bus_bytes_per_s"] is None:
                continue
            rate = row["bytes"] / row["transfer_ns"] * 1e9
            self.assertAlmostEqual(row["bytes_per_s"] / rate, 1, 5)
            self.assertAlmostEqual(row["bus_bytes_per_s"] / (rate * factor(row["collective"], row["ranks"])), 1, 5)


if __name__ == "__main__":
    unittest.main()
