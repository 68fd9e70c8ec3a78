#!/usr/bin/env python3
"""What must hold in every profile, whatever the trace: sums add up, partitions have no gap, ranges agree.

Checked on real traces ($OPSIGHT_CORPUS; skipped loudly without them) through the program's own faces.
"""

import functools
import json
import os
import re
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", "kineto")
RESNET = "kineto-tb/resnet50_nw0_a__worker0.1623143089861.pt.trace.json.gz"
NCCL = "hta/nccl_parser_config__nccl_data.json.gz"
TRACES = (RESNET, NCCL, "hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
          "hta/trace_filter__sampled_rank-0.json.gz", "param/dlrm_kineto.tar.gz",
          "tracelens/mi300__ddp_resnet18_no_pool__train_resnet18.json.gz",
          "tracelens/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz",
          "hta/cpu_only__rank-34.Jul_15_10_52_41.1074.OLDER.pt.trace.json.gz")
WORK = "(SELECT * FROM kernels UNION ALL BY NAME SELECT * FROM memcpys UNION ALL BY NAME SELECT * FROM memsets)"


@functools.cache
def profile_of(trace, options=()):
    return opsight_cli.Profile(os.path.join(CORPUS, "kineto", trace), options=options)


@unittest.skipUnless(CORPUS, "no corpus")
class PropertyTest(unittest.TestCase):
    def assert_empty(self, profile, query, what):
        self.assertEqual(profile.rows(query + " LIMIT 5"), [], what)

    def each(self, check):
        for trace in TRACES:
            with self.subTest(trace):
                check(profile_of(trace))


class SumsTest(PropertyTest):
    def test_self_times_add_up_to_the_roots(self):
        """Per thread. Spans that cross the end of a neighbour stand beside it and are left out."""
        self.each(lambda profile: self.assert_empty(profile, """
            SELECT track, sum(self_ns) AS own, sum(CASE WHEN parent_op IS NULL THEN dur_ns END) AS roots
            FROM ops GROUP BY track HAVING own <> roots""", "self times"))

    def test_a_child_lies_in_its_parent(self):
        self.each(lambda profile: self.assert_empty(profile, """
            SELECT c.id FROM ops c JOIN ops p ON p.id = c.parent_op
            WHERE c.track <> p.track OR c.begin_ns < p.begin_ns OR c.end_ns > p.end_ns""", "children"))

    def test_op_stats_are_sums_of_instances(self):
        facts = {"calls": "1", "cpu_ns": "dur_ns", "self_cpu_ns": "self_ns", "api_ns": "api_ns", "gpu_ns": "gpu_ns",
                 "gpu_idle_ns": "gpu_idle_ns", "kernel_ns": "kernel_ns", "tc_kernel_ns": "tc_kernel_ns",
                 "self_gpu_ns": "self_gpu_ns", "kernels": "kernels", "tc_kernels": "tc_kernels",
                 "memcpys": "memcpys", "memsets": "memsets"}
        stats = ", ".join(f"sum({stat})::BIGINT AS {stat}" for stat in facts)
        spans = ", ".join(f"sum({column})::BIGINT AS {stat}" for stat, column in facts.items())
        key = "rank, op_id, coalesce(iteration, -1) AS iteration"
        self.each(lambda profile: self.assert_empty(profile, f"""
            (SELECT {key}, {stats} FROM op_stats GROUP BY ALL) EXCEPT
            (SELECT {key}, {spans} FROM ops GROUP BY ALL)""", "op_stats"))
        self.each(lambda profile: self.assertEqual(
            profile.value("SELECT sum(calls)::BIGINT FROM op_stats"), profile.value("SELECT count(*) FROM ops")))

    def test_kernel_time_of_ops_counts_every_attributed_kernel_once(self):
        """Root ops hold all kernels launched under any op; innermost ops hold each once."""
        self.each(lambda profile: self.assert_empty(profile, """
            SELECT * FROM (SELECT
              (SELECT coalesce(sum(kernel_ns), 0) FROM ops WHERE parent_op IS NULL) AS roots,
              (SELECT coalesce(sum(self_kernel_ns), 0) FROM op_stats) AS own,
              (SELECT coalesce(sum(dur_ns), 0) FROM kernels WHERE op_span IS NOT NULL) AS kernels)
            WHERE roots <> kernels OR own <> kernels""", "kernel time"))

    def test_gpu_time_is_between_the_longest_span_and_the_sum(self):
        self.each(lambda profile: self.assert_empty(profile, f"""
            SELECT o.id FROM ops o JOIN
              (SELECT op_span, max(dur_ns) AS longest, sum(dur_ns) AS total FROM {WORK} GROUP BY 1) w
              ON w.op_span = o.id
            WHERE o.self_gpu_ns < w.longest OR o.self_gpu_ns > w.total OR o.gpu_ns < o.self_gpu_ns""", "GPU time"))


class ReportTest(PropertyTest):
    def test_averages_are_totals_by_calls_and_lie_between_least_and_most(self):
        """Without the work of which no call is known: it is in the total of the root layer only."""
        def check(profile):
            of_no_call = [row for row in profile.report("detailed", "--all-iterations")["detailed"] if not row["calls"]]
            self.assertEqual([row["layer"] for row in of_no_call if row["layer"]], [])
            left_out = sum(row["total_gpu_time_ns"] for row in of_no_call)
            for name in ("detailed", "op_type", "group_op", "kernel"):
                for row in profile.report(name, "--all-iterations")[name]:
                    for key in [key for key in row if key.startswith("avg_") and row[key] is not None]:
                        kind = key.removeprefix("avg_")
                        label = f"{name}: {row.get('op_name') or row.get('op_type') or row.get('name')}: {key}"
                        self.assertLessEqual(row["min_" + kind], row[key], label)
                        self.assertLessEqual(row[key], row["max_" + kind], label)
                        if kind != "api_time_ns":  # graph launches: fewer calls than kernels
                            of_root = name == "group_op" and row["name"] == "/" and kind == "gpu_time_ns"
                            total = row["total_" + kind] - (left_out if of_root else 0)
                            self.assertAlmostEqual(row[key], total / row["calls"], delta=0.5, msg=label)
        self.each(check)

    def test_medians_are_those_of_the_instances(self):
        """Of all rows, of the few that are shown, and of rows by rank and device."""
        def check(profile):
            expected = {(row.op_id, row.rank): row for row in profile.rows("""
                SELECT op_id, rank, count(*) AS calls, median(dur_ns) AS cpu, median(coalesce(gpu_ns, 0)) AS gpu,
                       quantile_cont(dur_ns, 0.95) AS cpu95, quantile_cont(coalesce(gpu_ns, 0), 0.95) AS gpu95
                FROM ops GROUP BY ALL""")}
            for options in ([], ["--limit", 3], ["--sort", "p95_gpu_time_ns", "--limit", 3]):
                rows = [row for row in profile.report("detailed", "--all-iterations", "--group-by", "rank", *options)["detailed"]
                        if (row["op_id"], row["rank"]) in expected and row["op_type"] != "unassociated"]
                self.assertTrue(rows or not expected)
                for row in rows:
                    wanted = expected[row["op_id"], row["rank"]]
                    if row["calls"] != wanted.calls:
                        continue  # work of a range that has the op's name
                    for key, value in (("median_cpu_time_ns", wanted.cpu), ("p95_cpu_time_ns", wanted.cpu95),
                                       ("median_gpu_time_ns", wanted.gpu), ("p95_gpu_time_ns", wanted.gpu95)):
                        self.assertAlmostEqual(row[key], value, delta=0.51, msg=f"{row['op_name']}: {key}")
        self.each(check)


class IterationTest(PropertyTest):
    def test_work_belongs_to_the_iteration_of_its_launch(self):
        """And to none where no iteration contains the launch; work without a launch goes by its own begin."""
        for view in ("kernels", "memcpys", "memsets"):
            self.each(lambda profile, view=view: self.assert_empty(profile, f"""
                SELECT w.id FROM {view} w LEFT JOIN iterations i
                  ON i.rank = w.rank AND w.launch_ns >= i.begin_ns AND w.launch_ns < i.end_ns
                WHERE w.iteration IS DISTINCT FROM i.iteration""", view))

    def test_host_spans_belong_to_the_iteration_of_their_begin(self):
        for view in ("ops", "api_calls"):
            self.each(lambda profile, view=view: self.assert_empty(profile, f"""
                SELECT s.id FROM {view} s LEFT JOIN iterations i
                  ON i.rank = s.rank AND s.begin_ns >= i.begin_ns AND s.begin_ns < i.end_ns
                WHERE s.iteration IS DISTINCT FROM i.iteration""", view))

    def test_iterations_do_not_overlap(self):
        self.each(lambda profile: self.assert_empty(profile, """
            SELECT a.iteration FROM iterations a JOIN iterations b
              ON a.rank = b.rank AND a.iteration < b.iteration
            WHERE a.end_ns > b.begin_ns OR a.begin_ns >= a.end_ns""", "iterations"))


SHARES = ("tensor_core_kernel_pct", "unknown_kernel_pct", "non_tensor_core_kernel_pct", "communication_pct",
          "memory_pct", "dataloader_pct", "io_pct", "cpu_pct", "host_pct", "idle_pct")
MOST_BYTES = 3_000_000  # of the traces that are tried, as they lie there


class TimeBudgetTest(PropertyTest):
    """Of every trace of the corpus, its default range, all iterations, and the first one alone."""

    @staticmethod
    def traces():
        for folder, _, files in os.walk(os.path.join(CORPUS, "kineto")):
            for name in sorted(files):
                path = os.path.join(folder, name)
                if name.endswith((".json", ".json.gz", ".tar.gz")) and os.path.getsize(path) < MOST_BYTES:
                    yield path
        nsys = os.path.join(CORPUS, "nsys-sqlite")
        for name in sorted(os.listdir(nsys)):
            if name.endswith(".sqlite"):
                yield os.path.join(nsys, name)

    def check_budget(self, summary):
        if summary["wall_clock_ns"] is None:
            return
        shares = [summary[key] or 0 for key in SHARES]
        self.assertGreaterEqual(min(shares), -1e-9)
        self.assertAlmostEqual(sum(shares), 100, places=6)
        times = summary["iterations"]
        if times["selected"] > 0:
            self.assertLessEqual(times["min_ns"], times["avg_iteration_time_ns"])
            self.assertLessEqual(times["avg_iteration_time_ns"], times["max_ns"])
            self.assertLessEqual(times["min_ns"], times["median_ns"])
            self.assertLessEqual(times["median_ns"], times["max_ns"])

    def test_shares_add_up_and_the_average_lies_between(self):
        tried = 0
        for path in self.traces():
            profile = opsight_cli.Profile(path)
            ranges = [(), ("--all-iterations",)]
            if profile.info()["iterations"]["total"] > 1:
                ranges.append(("--iter-start", 0, "--iter-stop", 0))
            for options in ranges:
                with self.subTest(os.path.basename(path), options=options):
                    self.check_budget(profile.report("summary", *options)["summary"])
            profile.remove()
            tried += 1
        self.assertGreater(tried, 50)

    def test_a_utilization_is_one_of_devices_that_worked(self):
        def check(profile):
            summary = profile.report("summary", "--all-iterations")["summary"]
            used = [device for device in summary["devices"] if not device["idle"]]
            self.assertEqual(len(used), summary["system"]["gpu_count"] or 0)
            if used:
                mean = sum(device["gpu_utilization_pct"] for device in used) / len(used)
                self.assertAlmostEqual(mean, summary["gpu_utilization_pct"], places=6)
                self.assertGreater(summary["gpu_utilization_pct"], 0)
            else:
                self.assertIsNone(summary["gpu_utilization_pct"])
        self.each(check)


class RangeTest(PropertyTest):
    """A range that is chosen when reporting gives every number of an import with that range."""

    def ranges(self, profile):
        """Partial ranges where there are iterations, a key op, and patterns that name one, some and all annotations."""
        last = profile.info()["iterations"]["total"] - 1
        if last > 0:
            yield ["--iter-start", 1]
            yield ["--iter-start", last // 2, "--iter-stop", last // 2]
            yield ["--iter-stop", last - 1]
        for op in profile.rows("""SELECT name, count(*) AS count FROM ops GROUP BY name
                                  HAVING count(*) BETWEEN 3 AND 40 ORDER BY count DESC, name LIMIT 1"""):
            yield ["--key-op", op.name]
            yield ["--key-op", op.name, "--iter-start", 1, "--iter-stop", 1]
        for annotation in profile.rows("""SELECT name FROM annotations WHERE dur_ns > 0
                                          GROUP BY name ORDER BY count(*), name LIMIT 1"""):
            stem = re.split(r"[0-9]", annotation.name)[0]
            yield ["--iteration-range", "^" + re.sub(r"([^A-Za-z0-9_ ])", r"\\\1", stem)]
            yield ["--iteration-range", ".", "--iter-stop", 0]

    def check_trace(self, *traces):
        paths = [os.path.join(CORPUS, "kineto", trace) for trace in traces]
        whole = opsight_cli.Profile(*paths)
        tried = 0
        for options in self.ranges(whole):
            with self.subTest(trace=traces[0], options=options):
                fresh = opsight_cli.Profile(*paths, options=options)
                chosen, imported = whole.report("all", *options), fresh.report("all")
                self.assertEqual(list(chosen), list(imported))
                for part in chosen:
                    self.assertEqual(json.dumps(chosen[part]), json.dumps(imported[part]), part)
                fresh.remove()
                tried += 1
        whole.remove()
        return tried

    def test_training(self):
        self.assertGreaterEqual(self.check_trace(RESNET), 4)

    def test_communication(self):
        self.assertGreaterEqual(self.check_trace(NCCL), 4)

    def test_several_ranks(self):
        ranks = [f"hta/trace_filter__sampled_rank-{rank}.json.gz" for rank in (0, 1)]
        self.assertGreaterEqual(self.check_trace(*ranks), 4)

    def test_another_maker_s_device(self):
        self.assertGreaterEqual(self.check_trace("tracelens/mi300__ddp_resnet18_no_pool__train_resnet18.json.gz"), 4)

    def test_without_a_device(self):
        self.assertGreaterEqual(self.check_trace("hta/cpu_only__rank-34.Jul_15_10_52_41.1074.OLDER.pt.trace.json.gz"),
                                4)

    def test_graph_launches(self):
        self.check_trace("tracelens/inference__sglang_decode__sglang_Qwen3-8B_decode.json.gz")

    def test_a_range_that_is_not_there_is_refused(self):
        path = os.path.join(CORPUS, "kineto", RESNET)
        done = opsight_cli.run("import", path, "-o", os.path.join(opsight_cli.temporary_folder(), "none.opsight"),
                               "--iter-start", 99, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("iterations 0 to 5", done.stderr)


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("properties of real profiles: set OPSIGHT_CORPUS to the folder of traces")
    unittest.main()
