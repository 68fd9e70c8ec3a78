#!/usr/bin/env python3
"""Numbers of other tools on the same traces: met, or reproduced by their own definition from our rows.

What differs by definition is written out in perfetto.py, hta.py and tb_plugin.py, and in words in
docs/other-tools.md. The golden files come from outside the repository ($OPSIGHT_GOLDEN); without them and the
traces all is skipped, loudly.
"""

import csv
import functools
import json
import os
import unittest

import opsight_cli
from hta import Hta
from perfetto import self_times
from profile_rows import Rows
from tb_plugin import Plugin

GOLDEN = opsight_cli.shared_folder("golden", "hta")
CORPUS = opsight_cli.shared_folder("corpus", "kineto")
TOLERANCE = 0.001

ALEXNET = "hta/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz"
EVENT_SYNC = "hta/critical_path__cuda_event_sync__event_sync_trace.json.gz"
NCCL = "hta/nccl_parser_config__nccl_data.json.gz"
NS_RESOLUTION = "hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"
RESNET_NW0 = "kineto-tb/resnet50_nw0_a__worker0.1623143089861.pt.trace.json.gz"
RESNET_NW4 = "kineto-tb/resnet50_nw4_a__worker0.1623212756351.pt.trace.json.gz"
SAMPLED = ("hta/trace_filter__sampled_rank-0.json.gz", "hta/trace_filter__sampled_rank-1.json.gz")
SIMPLE_ADD = "hta/critical_path__simple_add__benchmark_result_493459_1694039959_trace.json.gz"
DLRM = "param/dlrm_kineto.tar.gz"
COARSE = {NS_RESOLUTION}  # decimals since 1970: other tools keep 0.25 us of them
LOST_IDS = {DLRM}  # External ids of another id space


@functools.cache
def rows_of(*traces):
    return Rows(opsight_cli.Profile(*(os.path.join(CORPUS, "kineto", trace) for trace in traces)))


def read_csv(*path):
    with open(os.path.join(GOLDEN, *path), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def sum_by_name(rows):
    sums = {}
    for row in rows:
        calls, total, least, most = sums.get(row.name, (0, 0, row.dur, row.dur))
        sums[row.name] = (calls + 1, total + row.dur, min(least, row.dur), max(most, row.dur))
    return sums


@unittest.skipUnless(GOLDEN and CORPUS, "no golden numbers or no traces")
class GoldenTest(unittest.TestCase):
    def assert_near(self, ours, theirs, what, floor=0.0):
        """Within 0.1 %, or within `floor`: the rounding of the number as it was printed."""
        allowed = max(TOLERANCE * abs(theirs), floor) + 1e-9
        self.assertLessEqual(abs(ours - theirs), allowed, f"{what}: ours {ours}, theirs {theirs}")


class PerfettoTest(GoldenTest):
    RUNS = {"nccl_parser_config_nccl_data": NCCL,
            "ns_resolution_trace_rank-0.Apr_03_18_51_38.1102.pt.trace": NS_RESOLUTION,
            "resnet50_num_workers_0.worker0.1623143089861.pt.trace": RESNET_NW0}

    def test_kernels_exactly(self):
        for run, trace in self.RUNS.items():
            with self.subTest(run):
                theirs = {row["name"]: tuple(int(row[key]) for key in ("calls", "sum_ns", "min_ns", "max_ns"))
                          for row in read_csv("perfetto", run, "kernels.csv")}
                ours = sum_by_name(work for work in rows_of(trace).work if work.kind != "sync")
                self.assertEqual(set(ours.items()) ^ set(theirs.items()), set())

    def test_categories_exactly(self):
        for run, trace in self.RUNS.items():
            rows = rows_of(trace)
            work = {kind: [row for row in rows.work if row.kind == kind] for kind in ("kernel", "memcpy", "memset")}
            # Early traces call annotations and loader waits operators too.
            host = {"cpu_op": rows.ops, "Operator": rows.ops + rows.ranges, "cuda_runtime": rows.calls,
                    "Runtime": rows.calls, "user_annotation": rows.ranges, "kernel": work["kernel"],
                    "Kernel": work["kernel"], "gpu_memcpy": work["memcpy"], "Memcpy": work["memcpy"],
                    "gpu_memset": work["memset"], "Memset": work["memset"]}
            for row in read_csv("perfetto", run, "cats.csv"):
                if row["category"] in ("", "Trace", "gpu_user_annotation"):
                    continue
                with self.subTest(run, category=row["category"]):
                    ours = host[row["category"]]
                    self.assertEqual((len(ours), sum(span.dur for span in ours)), (int(row["n"]), int(row["sum_ns"])))

    def test_ops(self):
        """Calls and totals are exact. Self times are met as Perfetto nests: everything on the thread is a slice.

        A slice that it cannot nest it sets aside; what encloses it then keeps its time. In the trace whose times
        it holds coarsely that happens 774 times, by its own statistics, so its self times there say nothing.
        """
        for run, trace in self.RUNS.items():
            spilled = {row["name"]: int(row["value"]) for row in read_csv("perfetto", run, "stats.csv")}.get(
                "slice_spill_overlapping_complete_event", 0)
            self.assertEqual(spilled > 0, trace in COARSE)
            table = self_times(rows_of(trace))
            for row in read_csv("perfetto", run, "ops.csv"):
                if row["name"] not in table:
                    self.assertTrue(any(span.name == row["name"] for span in rows_of(trace).ranges), row["name"])
                    continue
                with self.subTest(run, name=row["name"]):
                    calls, total, own = table[row["name"]]
                    self.assertEqual((calls, total), (int(row["calls"]), int(row["total_ns"])))
                    if not spilled:
                        # two ops of one trace are 10 and 15 us of 9.6 ms apart; the plugin has our numbers
                        self.assert_near(own, int(row["self_ns"]), "self time", floor=15000)


class HtaTest(GoldenTest):
    RUNS = {"alexnet": (ALEXNET,), "dlrm_8rank": (DLRM,), "event_sync": (EVENT_SYNC,), "nccl_data": (NCCL,),
            "ns_resolution": (NS_RESOLUTION,), "resnet50_nw0": (RESNET_NW0,), "sampled_2rank": SAMPLED,
            "simple_add": (SIMPLE_ADD,)}

    def each_rank(self):
        for folder in sorted(os.listdir(os.path.join(GOLDEN, "hta"))):
            name, last = folder.split(".")
            traces = self.RUNS[name]
            rows = rows_of(*traces)
            for rank in rows.ranks():
                yield folder, rank, Hta(rows.of_rank(rank), last == "last", bool(COARSE & set(traces)))

    @staticmethod
    def golden_of_rank(folder, file, rank):
        return [row for row in read_csv("hta", folder, file) if int(row["rank"]) == rank]

    def test_kernel_sums(self):
        for folder, rank, ours in self.each_rank():
            with self.subTest(folder, rank=rank):
                theirs = {row["name"]: tuple(float(row[key]) for key in ("sum (us)", "max (us)", "min (us)"))
                          for row in self.golden_of_rank(folder, "gpu_kernel_all.csv", rank)}
                self.assertEqual(ours.kernels(), theirs)

    def test_temporal_breakdown(self):
        for folder, rank, ours in self.each_rank():
            with self.subTest(folder, rank=rank):
                (theirs,) = self.golden_of_rank(folder, "temporal_breakdown.csv", rank)
                for key, value in ours.temporal().items():
                    self.assertEqual(value, float(theirs[key]), key)

    def test_idle_by_cause(self):
        """On a trace in whole us. HTA parts the waits after a launch by their length, in us; here they are one."""
        (ours,) = opsight_cli.Profile(os.path.join(CORPUS, "kineto", RESNET_NW0)).rows(
            "SELECT host_wait_ns, queued_wait_ns + other_wait_ns AS rest_ns FROM streams")
        theirs = {row["idle_category"]: 1000 * float(row["idle_time"])
                  for row in read_csv("hta", "resnet50_nw0.last", "idle_time_breakdown.csv")}
        self.assertEqual(ours.host_wait_ns, theirs["host_wait"])
        self.assertEqual(ours.rest_ns, theirs["kernel_wait"] + theirs["other"])

    def test_overlap(self):
        for folder, rank, ours in self.each_rank():
            with self.subTest(folder, rank=rank):
                (theirs,) = self.golden_of_rank(folder, "comm_comp_overlap.csv", rank)
                text = theirs["comp_comm_overlap_pctg"]
                if text == "":
                    self.assertIsNone(ours.overlap_percent())
                else:
                    self.assert_near(ours.overlap_percent(), float(text), "overlap", floor=0.005)

    def test_time_by_type_summed_over_ranks(self):
        sums = {}
        for folder, _, ours in self.each_rank():
            for kind, time in ours.by_type().items():
                sums.setdefault(folder, {}).setdefault(kind, 0)
                sums[folder][kind] += time
        for folder, ours in sums.items():
            with self.subTest(folder):
                theirs = {row["kernel_type"]: int(row["sum"]) for row in read_csv("hta", folder, "gpu_kernel_type.csv")}
                self.assertEqual(ours, {kind: time for kind, time in theirs.items() if time > 0})


class PluginTest(GoldenTest):
    RUNS = {"resnet50_nw0_a": RESNET_NW0, "resnet50_nw4": RESNET_NW4, "nccl_data": NCCL,
            "ns_resolution": NS_RESOLUTION, "dlrm_worker0": DLRM}

    # us of calls that the source's External id gives to another op than the one that made them
    CALLS_OF_OTHER_OPS = {("nccl_data", "aten::cudnn_batch_norm_backward"): 2393.577}

    def each_run(self):
        for folder, trace in self.RUNS.items():
            yield folder, Plugin(rows_of(trace).of_rank(0), trace in COARSE, trace in LOST_IDS)

    def test_steps(self):
        for folder, ours in self.each_run():
            with self.subTest(folder):
                steps = ours.overview()
                theirs = read_csv("tbplugin", folder, "overview_steps.csv")
                self.assertEqual(list(steps), [row["Step"] for row in theirs])
                for row in theirs:
                    self.assert_near(steps[row["Step"]]["Total(us)"], float(row["Total(us)"]), "step total")
                    for key, value in row.items():
                        if key not in ("Step", "Total(us)"):
                            # 0.1 % of the step: how the plugin places some 3 us beside NCCL ops is not known
                            self.assert_near(steps[row["Step"]][key], float(value), f"step {row['Step']} {key}",
                                             floor=TOLERANCE * float(row["Total(us)"]))

    def test_communication(self):
        for folder, ours in self.each_run():
            with self.subTest(folder):
                steps = ours.communication()
                for row in read_csv("tbplugin", folder, "comm_overlap_steps.csv"):
                    for key, value in steps[row["step"]].items():
                        self.assert_near(value, float(row[key]), f"step {row['step']} {key}", floor=1.0)

    def test_communication_of_eight_ranks(self):
        with open(os.path.join(GOLDEN, "tbplugin", "dlrm_8rank_distributed", "steps_to_overlap.json"),
                  encoding="utf-8") as file:
            theirs = json.load(file)["data"]["10"]
        rows = rows_of(DLRM)
        self.assertEqual(len(theirs), len(rows.ranks()))
        for rank in rows.ranks():
            ours = Plugin(rows.of_rank(rank), lost_ids=True).communication()["10"]
            alone, overlapping, communication, _ = theirs[f"worker{rank}"]
            with self.subTest(rank=rank):
                self.assert_near(ours["computation"] - ours["overlap"], alone, "computation")
                self.assertEqual(ours["overlap"], overlapping)
                self.assertEqual(ours["communication"] - ours["overlap"], communication)

    def test_kernel_table(self):
        for folder, ours in self.each_run():
            with self.subTest(folder):
                table = ours.kernels()
                theirs = {row["Name"]: row for row in read_csv("tbplugin", folder, "kernel_table.csv")}
                self.assertEqual(set(table), set(theirs))
                for name, (calls, total, least, most) in table.items():
                    self.assertEqual(calls, int(theirs[name]["Calls"]), name)
                    for value, key in ((total, "Total"), (least, "Min"), (most, "Max")):
                        self.assert_near(value, float(theirs[name][f"{key} Duration (us)"]), f"{name} {key}", floor=0.5)

    def test_operator_table(self):
        for folder, ours in self.each_run():
            with self.subTest(folder):
                table = ours.operators()
                theirs = {row["name"]: row for row in read_csv("tbplugin", folder, "operator_table.csv")}
                self.assertEqual(set(table), set(theirs))
                for name, row in theirs.items():
                    calls = int(row["calls"])
                    self.assertEqual(table[name]["calls"], calls, name)
                    table[name]["host_self"] += self.CALLS_OF_OTHER_OPS.get((folder, name), 0)
                    floor = max(1.0, 0.25 * calls) if ours.coarse else 1.0
                    for key in ("host_total", "host_self", "device_self", "device_total"):
                        self.assert_near(table[name][key], float(row[f"{key}_duration"]), f"{name} {key}", floor)

    def test_gpu_summary(self):
        for folder, ours in self.each_run():
            with self.subTest(folder):
                with open(os.path.join(GOLDEN, "tbplugin", folder, "gpu_summary.json"), encoding="utf-8") as file:
                    theirs = {row["title"]: row["value"] for row in json.load(file)}
                self.assert_near(ours.utilization(), float(theirs["GPU Utilization"].split()[0]), "utilization",
                                 floor=0.011)  # of the mean of rounded parts

    def test_tensor_core_time(self):
        for folder, ours in self.each_run():
            with self.subTest(folder):
                with open(os.path.join(GOLDEN, "tbplugin", folder, "tensor_core_pie.json"), encoding="utf-8") as file:
                    ((_, used), _) = json.load(file)["total"]["rows"]
                self.assert_near(ours.tensor_core_ratio(), used, "share of Tensor Core kernels")


if __name__ == "__main__":
    if not (GOLDEN and CORPUS):
        opsight_cli.say_skipped("comparison with other tools: set OPSIGHT_GOLDEN and OPSIGHT_CORPUS")
    unittest.main()
