#!/usr/bin/env python3
"""`opsight fleet`: what a store says is what the profiles say; nothing is lost, nothing is there twice."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import duckdb_file
import opsight_cli
import tiny_trace


def fleet(*arguments, check=True):
    return opsight_cli.run("fleet", *arguments, check=check)


def asked(*arguments):
    return json.loads(fleet(*arguments, "--json").stdout)


def ranks_trace(folder, ranks=4, steps=6, late=2, at=0):
    """A folder with a trace for each rank: an all-reduce ends every step, to which rank `late` comes 30 us late."""
    path = tempfile.mkdtemp(dir=folder)
    for rank in range(ranks):
        trace = tiny_trace.trace(steps)
        trace["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": ranks}
        trace["baseTimeNanoseconds"] = 1_700_000_000_000_000_000 + at
        for step in range(steps):
            begin = 100.0 * step + (75 if rank != late else 85)
            launch, number = 100.0 * step + 45, 10 * step + 3
            trace["traceEvents"] += [
                tiny_trace.span("cuda_runtime", "cudaLaunchKernel", 1, launch, 5, correlation=number),
                tiny_trace.span("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 9, begin,
                                100.0 * step + 90 - begin, pid=0, device=0, stream=9, correlation=number,
                                grid=[4, 1, 1], block=[128, 1, 1],
                                **{"Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000,
                                   "Group size": ranks, "dtype": "Float", "Process Group Name": "0",
                                   "Process Group Ranks": str(list(range(ranks)))})]
        with open(os.path.join(path, f"rank{rank}.json"), "w", encoding="utf-8") as file:
            json.dump(trace, file)
    return path


class FleetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        cls.job = opsight_cli.Profile(ranks_trace(cls.folder))
        cls.single = opsight_cli.Profile(tiny_trace.write(cls.folder))

    def setUp(self):
        self.store = os.path.join(tempfile.mkdtemp(dir=self.folder), "store")

    def push(self, *arguments, check=True):
        return fleet("push", *arguments, "--to", self.store, check=check)

    def value(self, sql):
        (row,) = asked("sql", self.store, sql)
        (value,) = row.values()
        return value

    def files(self):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.store) for name in names
                      if name.endswith(".parquet"))

    def test_facts_are_what_the_profile_says(self):
        self.push(self.job.path, "--label", "model=tiny")
        self.assertEqual(self.value("SELECT count(*) FROM runs"), 1)
        ops = {row["op_name"]: row for row in self.job.report("detailed")["detailed"]}
        found = asked("sql", self.store, "SELECT op, sum(calls) AS calls, sum(cpu_ns) AS cpu_ns, sum(gpu_ns) AS gpu_ns "
                                         "FROM ops GROUP BY op")
        self.assertTrue(found)
        self.assertLessEqual({row["op"] for row in found}, set(ops))
        for row in found:
            self.assertEqual((row["calls"], row["cpu_ns"], row["gpu_ns"]),
                             (ops[row["op"]]["calls"], ops[row["op"]]["total_cpu_time_ns"],
                              ops[row["op"]]["total_gpu_time_ns"]), row["op"])
        kernels = {row["label"]: row for row in self.job.report("kernel_name")["kernel_name"]}
        found = asked("sql", self.store, "SELECT kernel, sum(calls) AS calls, sum(gpu_ns) AS ns FROM kernels GROUP BY 1")
        self.assertEqual({row["kernel"] for row in found}, set(kernels))
        for row in found:
            self.assertEqual((row["calls"], row["ns"]), (kernels[row["kernel"]]["calls"],
                                                         kernels[row["kernel"]]["total_gpu_time_ns"]), row["kernel"])
        for row, fact in zip(self.job.report("ranks")["ranks"],
                             asked("sql", self.store, "SELECT * FROM ranks ORDER BY rank"), strict=True):
            for key in ("rank", "iterations", "wall_ns", "computing_ns", "waiting_ns", "idle_ns", "own_ns", "score",
                        "times_last", "caused_ns"):
                self.assertEqual(fact[key], row[key], key)
        for row, fact in zip(self.job.report("rank_iterations")["rank_iterations"],
                             asked("sql", self.store, "SELECT * FROM iterations ORDER BY rank, iteration"), strict=True):
            for key in ("rank", "iteration", "duration_ns", "waiting_ns", "own_ns", "caused_ns"):
                self.assertEqual(fact[key], row[key], key)

    def test_the_levels_of_sums_agree(self):
        self.push(self.job.path)
        for table, column in (("ops", "self_gpu_ns"), ("ops", "calls"), ("kernels", "gpu_ns"),
                              ("layers", "self_cpu_ns"), ("collectives", "waiting_ns"), ("collectives", "calls")):
            sums = [self.value(f"SELECT sum({column}) FROM {level}{table}") for level in ("", "rank_", "iteration_")]
            self.assertEqual(len(set(sums)), 1, (table, column, sums))
            self.assertGreater(sums[0] or 0, 0, (table, column))
        self.assertGreater(self.value("SELECT sum(waiting_ns) FROM collectives"), 0)

    def test_of_a_run_without_a_device_no_gpu_time_is_told(self):
        trace = tiny_trace.trace(3)
        trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") in ("cpu_op", "user_annotation")]
        trace.pop("deviceProperties", None)
        path = os.path.join(self.folder, "cpu.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        self.push(path)
        ops = asked("report", self.store, "--report", "ops")
        self.assertTrue(ops)
        self.assertEqual({row["total_self_gpu_ns"] for row in ops}, {None})
        self.assertIsNone(self.value("SELECT kernel_ns FROM runs"))

    def test_columns_of_one_name_have_keys_of_their_own(self):
        self.push(self.job.path)
        (row,) = asked("sql", self.store, "SELECT 1 AS a, 2 AS a")
        self.assertEqual(row, {"a": 1, "a_2": 2})

    def test_the_late_rank_is_named_first(self):
        self.push(self.job.path)
        first = asked("report", self.store, "--report", "ranks")[0]
        self.assertEqual((first["rank"], first["pattern"]), (2, "persistent"))
        self.assertGreater(first["caused_pct"], 99)

    def test_pushing_twice_changes_nothing(self):
        self.push(self.job.path, "--label", "a=1")
        before = {path: (os.stat(path).st_mtime_ns, os.stat(path).st_ino) for path in self.files()}
        self.assertIn("was there already", self.push(self.job.path, "--label", "a=1").stdout)
        self.assertEqual({path: (os.stat(path).st_mtime_ns, os.stat(path).st_ino) for path in self.files()}, before)
        # The same recording, imported again under another name.
        again = os.path.join(self.folder, "again.opsight")
        if not os.path.exists(again):
            shutil.copy(self.job.path, again)
        self.push(again, "--label", "a=1")
        self.assertEqual(self.value("SELECT count(*) FROM runs"), 1)

    def test_other_labels_take_the_place_of_the_former(self):
        self.push(self.job.path, "--label", "a=1")
        count = len(self.files())
        self.push(self.job.path, "--label", "a=2", "--label", "b=x")
        self.assertEqual(len(self.files()), count)
        self.assertEqual([(row["label"], row["value"]) for row in asked("sql", self.store, "FROM labels ORDER BY label")],
                         [("a", "2"), ("b", "x")])

    def test_a_push_that_is_killed_is_not_seen_and_goes_on(self):
        """kill -9 at many moments: after each the store has all of the run or nothing of it."""
        self.push(self.single.path)
        killed = 0
        for delay in range(0, 60):
            child = subprocess.Popen([opsight_cli.PROGRAM, "fleet", "push", self.job.path, "--to", self.store],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay * 0.01)
            killed += child.poll() is None
            child.send_signal(signal.SIGKILL)
            child.wait()
            runs = asked("sql", self.store, "SELECT run, ranks FROM runs ORDER BY ranks")
            self.assertIn([row["ranks"] for row in runs], ([1], [1, 4]))
            for table in ("ops", "iterations", "iteration_ops"):
                self.assertEqual(self.value(f"SELECT count(DISTINCT run) FROM {table}"), len(runs), table)
            if len(runs) == 2:
                break
        self.assertGreater(killed, 0)
        self.push(self.job.path)
        self.assertEqual(self.value("SELECT count(*) FROM runs"), 2)
        self.assertEqual(self.value("SELECT count(DISTINCT rank) FROM iteration_ops"), 4)
        whole = os.path.join(self.folder, "whole")
        fleet("push", self.job.path, "--to", whole)
        for table in ("iteration_ops", "iteration_kernels", "ranks", "findings"):
            sql = f"SELECT count(*) AS n FROM {table} WHERE run IN (SELECT run FROM runs WHERE ranks = 4)"
            self.assertEqual(asked("sql", self.store, sql), asked("sql", whole, sql), table)
        shutil.rmtree(whole)

    def test_many_push_at_once(self):
        children = [subprocess.Popen([opsight_cli.PROGRAM, "fleet", "push", path, "--to", self.store, "--label", label],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                    for path, label in ((self.job.path, "a=1"), (self.job.path, "a=2"), (self.job.path, "a=1"),
                                        (self.single.path, "a=1"))]
        for child in children:
            self.assertEqual(child.wait(), 0, child.stderr.read())
            child.stderr.close()
        self.assertEqual(self.value("SELECT count(*) FROM runs"), 2)
        self.assertEqual(self.value("SELECT count(*) FROM labels"), 2)

    def test_what_cannot_be_written_leaves_nothing_seen(self):
        self.push(self.single.path)
        done = subprocess.run(["bash", "-c", "ulimit -f 1; trap '' XFSZ; exec \"$@\"", "bash",
                               opsight_cli.PROGRAM, "fleet", "push", self.job.path, "--to", self.store],
                              text=True, capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.value("SELECT count(*) FROM runs"), 1)
        self.push(self.job.path)
        self.assertEqual(self.value("SELECT count(*) FROM runs"), 2)

    def test_a_cut_file_is_named(self):
        self.push(self.job.path)
        path = next(path for path in self.files() if "/ops/" in path)
        os.truncate(path, os.path.getsize(path) - 10)
        done = fleet("report", self.store, "--report", "ops", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(os.path.basename(path), done.stderr)
        self.assertIn("it is cut or was changed", done.stderr)
        self.assertEqual(len(asked("list", self.store)), 1)
        self.push(self.job.path)  # the same facts again: they are not whole, so they are written
        self.assertGreater(len(asked("report", self.store, "--report", "ops")), 0)

    def test_choices_and_every_report(self):
        self.push(self.job.path, "--label", "model=a", "--label", "gpu_hours=100")
        self.push(self.single.path, "--label", "model=b")
        self.assertEqual([row["labels"] for row in asked("list", self.store, "--label", "model=b")], ["model=b"])
        self.assertEqual(len(asked("list", self.store)), 2)
        listed = asked("list", self.store, "--label", "model=a")[0]
        self.assertEqual(listed["run"], asked("list", self.store, "--run", listed["run"][:8])[0]["run"])
        self.assertEqual(fleet("list", self.store, "--run", "nothing", check=False).returncode, 1)
        self.assertEqual(fleet("list", self.store, "--label", "model=c", check=False).returncode, 1)
        self.assertEqual(fleet("list", self.store, "--label", "model", check=False).returncode, 2)
        every = asked("report", self.store, "--report", "all")
        self.assertEqual(len(every), 14)
        for form in ("table", "csv"):
            fleet("report", self.store, "--report", "all", "--format", form)
        by = {row["value"]: row for row in asked("report", self.store, "--report", "labels", "--by", "model")}
        self.assertEqual(set(by), {"a", "b"})
        shares = [row["gpu_share_pct"] for row in every["ops"]]
        self.assertAlmostEqual(sum(shares), 100)
        fleet("compare", self.store, "--base", "model=b", "--new", "model=a")
        compared = asked("compare", self.store, "--base", "model=a", "--new", "model=a")
        self.assertTrue(all(row["change_ns"] in (0, None) for row in compared["times"]))
        self.assertTrue(all(row["change_gpu_ns"] == 0 for row in compared["ops"]))
        on_both = [note for note in compared["notes"] if "on both sides" in note]
        self.assertEqual(len(on_both), 1, compared["notes"])
        apart = asked("compare", self.store, "--base", "model=a", "--new", "model=b")
        self.assertFalse(any("on both sides" in note for note in apart["notes"]), apart["notes"])
        trend = asked("trend", self.store)
        self.assertEqual(len(trend["runs"]), 2)
        untold = [note for note in trend["notes"] if note.startswith("no change was looked for in: ")]
        columns = {"communication_pct": "exposed communication", "idle_pct": "idle or not recorded",
                   "dataloader_pct": "data loading"}
        for key, name in columns.items():
            told = sum(row[key] is not None for row in trend["runs"])
            self.assertEqual(told < 2, any(name in note for note in untold), (key, trend["notes"]))

    def test_a_comparison_says_first_what_became_of_an_iteration(self):
        other = tiny_trace.trace(8)
        for event in other["traceEvents"]:
            event["name"] = event["name"].replace("aten::", "own::")
            event["ts"], event["dur"] = 2 * event["ts"], 2 * event["dur"]
        path = os.path.join(self.folder, "other.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(other, file)
        self.push(self.single.path, "--label", "kind=tiny")
        self.push(opsight_cli.Profile(path).path, "--label", "kind=other")
        compared = asked("compare", self.store, "--base", "kind=tiny", "--new", "kind=other")
        time = next(row for row in compared["times"] if row["of"] == "iteration time")
        self.assertEqual(time["new_ns"], 2 * time["base_ns"])
        self.assertEqual(compared["notes"][0], f"iteration time: {time['base_ns'] / 1e6:.3f} ms at the base, "
                         f"{time['new_ns'] / 1e6:.3f} ms new (+100.0%)")
        apart = "no op is on both sides: they ran different programs"
        self.assertIn(apart, compared["notes"])
        self.assertNotIn(apart, asked("compare", self.store, "--base", "kind=tiny", "--new", "kind=tiny")["notes"])

    def test_free_sql_cannot_write(self):
        self.push(self.single.path)
        for sql in (f"COPY (SELECT 1) TO '{self.store}/x.csv'", "CREATE TABLE x AS SELECT 1",
                    "SELECT * FROM read_csv('/etc/passwd')"):
            done = fleet("sql", self.store, sql, check=False)
            self.assertEqual(done.returncode, 1, sql)
        self.assertFalse(os.path.exists(os.path.join(self.store, "x.csv")))

    def test_what_is_no_store_is_said(self):
        for arguments, words in ((("list", os.path.join(self.folder, "none")), "none"),
                                 (("list", self.folder), "store"),
                                 (("push", self.job.path, "--to", self.folder), "store"),
                                 (("list", "s3://bucket"), "no kind of store 's3://'")):
            done = fleet(*arguments, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)

    def test_the_document_has_the_tables(self):
        with open(os.path.join(opsight_cli.HERE, "..", "docs", "FLEET.md"), encoding="utf-8") as file:
            self.assertIn(fleet("schema").stdout.strip(), file.read())

    def test_parquet_by_run_and_rank(self):
        lake = os.path.join(self.folder, "lake")
        shutil.rmtree(lake, ignore_errors=True)
        for profile in (self.job, self.single):
            opsight_cli.run("export", profile.path, "--format", "parquet", "--partition", "-o", lake)
        runs = sorted(os.listdir(os.path.join(lake, "ops")))
        self.assertEqual(len(runs), 2)
        ranks = sorted(name for run in runs for name in os.listdir(os.path.join(lake, "ops", run)))
        self.assertEqual(ranks, ["rank=0", "rank=0", "rank=1", "rank=2", "rank=3"])
        # Read back by DuckDB, as anybody may.
        for rank in range(4):
            wanted = self.job.value(f"SELECT count(*) FROM ops WHERE rank = {rank}")
            duckdb_file.execute(os.path.join(self.folder, "other.duckdb"), f"""
                SELECT CASE WHEN count(*) > 0 THEN 1 ELSE error('rank {rank}') END FROM (
                    SELECT run FROM read_parquet('{lake}/ops/*/*/*.parquet', hive_partitioning = true)
                    WHERE rank = {rank} GROUP BY run HAVING count(*) = {wanted})""")
        again = opsight_cli.run("export", self.job.path, "--format", "parquet", "--partition", "-o", lake, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn("exists already", again.stderr)


if __name__ == "__main__":
    unittest.main()
