"""opsight export --format dlprof: the file by Python's sqlite3 against what was recorded, and the eight reports in
DLProf's style of it against those of the profile that it was made of."""

import glob
import json
import os
import sqlite3
import sys
import unittest

import odd_trace
import opsight_cli
import tiny_trace

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "reference"))
import fabricated_dlprof  # noqa: E402

DATABASE = os.path.join(HERE, "..", "fuzz", "exports", "dlprof.sql")
CORPUS = opsight_cli.shared_folder("corpus", "kineto")
# Waits for data are no ops, so nothing in the database tells of them: their share goes to what ran beside.
SHARES_WITHOUT_LOADING = ("Dataloader Duration %", "CPU Duration %", "Other Duration %")
WORK = ("kernels", "memcpys", "memsets")


class DlprofDatabase(unittest.TestCase):
    maxDiff = 3000

    def setUp(self):
        self.folder = os.path.join(opsight_cli.temporary_folder(), self.id())
        os.makedirs(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def export(self, profile, *options):
        path = self.path("dlprof_dldb.sqlite")
        self.said = opsight_cli.run("export", profile, "--format", "dlprof", "-f", "-o", path, *options).stdout
        return path

    def open(self, path):
        database = sqlite3.connect(path)
        self.addCleanup(database.close)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        return database

    def reports(self, path, name, *options):
        output = self.path(name)
        opsight_cli.run("report", path, "--style", "dlprof", "--output", output, "--force", *options)
        found = {}
        for file in glob.glob(os.path.join(output, "*.csv")):
            with open(file, encoding="utf-8", newline="") as text:
                found[os.path.basename(file)] = text.read().splitlines()
        self.assertEqual(len(found), 8)
        return found

    def assert_comes_back(self, source, *options, but=(), imported=()):
        """The reports of the profile and of the database made of it are the same, but for lines of the summary."""
        profile = opsight_cli.Profile(source, options=imported)
        path = self.export(profile.path, *options)
        wanted, made = (self.reports(each, name, *options) for each, name in ((profile.path, "a"), (path, "b")))
        for name, lines in wanted.items():
            self.assertEqual([line for line in made[name] if not line.startswith(tuple(but))],
                             [line for line in lines if not line.startswith(tuple(but))], name)
        return profile, self.open(path)

    def fabricated(self, **options):
        path = self.path("run.sqlite")
        fabricated_dlprof.write(path, **options)
        return path

    def database(self):
        path = self.path("given.sqlite")
        database = sqlite3.connect(path)
        with open(DATABASE, encoding="utf-8") as script:
            database.executescript("BEGIN;" + script.read() + "COMMIT;")
        database.close()
        return path

    def test_a_marked_run(self):
        self.assert_comes_back(self.fabricated())

    def test_a_marked_run_in_iterations(self):
        _, database = self.assert_comes_back(self.fabricated(), imported=("--key-op", "torch.nn.functional.cross_entropy"))
        self.assertGreater(database.execute("SELECT count(*) FROM iteration_list").fetchone()[0], 1)

    def test_a_database_of_dlprof(self):
        _, database = self.assert_comes_back(self.database())
        self.assertEqual(database.execute("SELECT start_time, stop_time FROM iteration_list").fetchall(),
                         [(0, 340000), (340000, 601000)])
        self.assertEqual(database.execute("SELECT problem, recommendation FROM expert_systems_feedback").fetchall(),
                         [("2 ops were eligible", "Try AMP")])

    def test_a_range_is_told_and_all_is_written(self):
        source = self.database()
        whole = self.open(self.export(opsight_cli.Profile(source).path)).execute(
            "SELECT count(*) FROM read_only_kernels").fetchone()
        _, database = self.assert_comes_back(source, "--iter-start", "1", "--iter-stop", "1")
        self.assertEqual(database.execute("SELECT iter_total, iter_aggregated, iter_start, iter_stop FROM model_summary")
                         .fetchall(), [(2, 1, 1, 1)])
        self.assertEqual(database.execute("SELECT count(*) FROM read_only_kernels").fetchone(), whole)
        # Without being asked for, the range of the database is that of its reports.
        reports = self.reports(self.path("dlprof_dldb.sqlite"), "c")
        self.assertIn("Start Iteration,1", reports["dlprof_summary.csv"])

    def test_traces_of_pytorch(self):
        for write in (tiny_trace.write, odd_trace.write):
            with self.subTest(write.__module__):
                self.assert_comes_back(write(self.folder), but=SHARES_WITHOUT_LOADING)

    def test_every_row_by_hand(self):
        """Against the tables of the export of Nsight Systems, read by Python alone."""
        source = self.fabricated()
        database = self.open(self.export(opsight_cli.Profile(source).path))
        recorded = self.open(source)
        for mine, theirs in (("read_only_kernels", "KERNEL"), ("read_only_memcpys", "MEMCPY")):
            times = [database.execute(f"SELECT gpu_start, gpu_stop FROM {mine} ORDER BY 1, 2").fetchall(),
                     recorded.execute(f"SELECT start, end FROM CUPTI_ACTIVITY_KIND_{theirs} ORDER BY 1, 2").fetchall()]
            self.assertGreater(len(times[0]), 1)
            self.assertEqual(*times)
        self.assertEqual(database.execute("SELECT num_bytes FROM read_only_memcpys ORDER BY gpu_start").fetchall(),
                         recorded.execute("SELECT bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY start").fetchall())
        launches = """
            SELECT k.start, r.start, r.end, r.globalTid & 0xffffff, r.globalTid >> 24 & 0xffffff, k.gridX, k.blockX, s.value
            FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
            JOIN StringIds s ON s.id = k.demangledName WHERE k.globalPid >> 24 = r.globalTid >> 24 ORDER BY 1, 2"""
        self.assertEqual(database.execute("""
            SELECT gpu_start, api_start, api_stop, thread_id, process_id, g.x, b.x, n.string
            FROM read_only_kernels k JOIN read_only_grid_block g ON g.id = grid_id
            JOIN read_only_grid_block b ON b.id = block_id JOIN dictionary n ON n.id = long_name_id
            ORDER BY 1, 2""").fetchall(), recorded.execute(launches).fetchall())

    def test_numbers_point_somewhere(self):
        database = self.open(self.export(opsight_cli.Profile(odd_trace.write(self.folder)).path))
        for table in [f"read_only_{name}" for name in (*WORK, "cuda_calls", "cuda_syncs")]:
            for column, other in (("read_only_ops_id", "read_only_ops"), ("op_instance", "read_only_op_instances"),
                                  ("name_id", "dictionary")):
                lost = database.execute(f"""SELECT count(*) FROM {table}
                    WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {other})""").fetchone()
                self.assertEqual(lost, (0,), (table, column))
            outside = database.execute(f"""SELECT count(*) FROM {table} w JOIN read_only_op_instances i ON i.id = w.op_instance
                WHERE w.api_start NOT BETWEEN i.cpu_start AND i.cpu_stop OR w.thread_id <> i.thread_id""").fetchone()
            self.assertEqual(outside, (0,), table)

    def test_processes_of_two_ranks_with_one_number(self):
        traces = []
        for rank in (0, 1):
            os.makedirs(self.path(f"rank{rank}"))
            traces.append(tiny_trace.write(self.path(f"rank{rank}")))
        profile = opsight_cli.Profile(*traces)
        database = self.open(self.export(profile.path))
        self.assertEqual(database.execute("SELECT count(DISTINCT process_id) FROM read_only_op_instances").fetchone(), (2,))

    def test_work_without_a_call_is_of_a_process_of_its_rank(self):
        traces = []
        for rank in (0, 1):
            trace = tiny_trace.trace()
            trace["distributedInfo"] = {"rank": rank, "world_size": 2, "backend": "nccl"}
            trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") != "cuda_runtime"]
            for event in trace["traceEvents"]:
                event["pid"] = event["pid"] if event.get("cat") == "kernel" else 100 + rank
                if event.get("cat") == "kernel":
                    event["pid"] = event["args"]["device"] = rank
            traces.append(self.path(f"rank{rank}.json"))
            with open(traces[-1], "w", encoding="utf-8") as file:
                json.dump(trace, file)
        database = self.open(self.export(opsight_cli.Profile(*traces).path))
        rows = database.execute("SELECT DISTINCT device_id, process_id FROM read_only_kernels ORDER BY 1").fetchall()
        self.assertEqual(rows, [(0, 100), (1, 101)])

    def test_gpus_of_two_hosts_with_one_number(self):
        for rank, host in ((0, "left"), (1, "right")):
            trace = tiny_trace.trace()
            trace["distributedInfo"] = {"rank": rank, "world_size": 2, "backend": "nccl"}
            trace["host_name"] = host
            os.makedirs(self.path("hosts"), exist_ok=True)
            with open(self.path(f"hosts/rank{rank}.json"), "w", encoding="utf-8") as file:
                json.dump(trace, file)
        _, database = self.assert_comes_back(self.path("hosts"))
        self.assertEqual(database.execute("SELECT device_id FROM read_only_gpu_infos ORDER BY 1").fetchall(), [(0,), (1,)])
        used = "SELECT device_id, count(*) FROM read_only_kernels GROUP BY 1 ORDER BY 1"
        self.assertEqual(database.execute(used).fetchall(), [(0, 8), (1, 8)])

    def test_refused(self):
        profile = opsight_cli.Profile(tiny_trace.write(self.folder)).path
        path = self.export(profile)
        for options, said in ((("-o", path), "exists already"), (("-o", "-"), "is not a text"),
                              (("-f", "-o", path, "--rank", "0"), "of all ranks"),
                              (("-f", "-o", path, "--iter-start", "77"), "there is no iteration 77")):
            done = opsight_cli.run("export", profile, "--format", "dlprof", *options, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)
        self.open(path)  # is what it was
        self.assertEqual([name for name in os.listdir(self.folder) if "dldb" in name], ["dlprof_dldb.sqlite"])

    @unittest.skipUnless(CORPUS, "no corpus")
    def test_real_profiles(self):
        for path in ("kineto/hta/nccl_parser_config__nccl_data.json.gz", "nsys-sqlite/nsys-ai__h100_2gpu_1s.sqlite",
                     "kineto/tracelens/h100__gaunernst_bert-small-uncased__1016001.json.gz"):
            with self.subTest(path):
                self.assert_comes_back(os.path.join(CORPUS, path))


if __name__ == "__main__":
    if not CORPUS:
        opsight_cli.say_skipped("databases of DLProf made of real profiles: no corpus (OPSIGHT_CORPUS)")
    unittest.main()
