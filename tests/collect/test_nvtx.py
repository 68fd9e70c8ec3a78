"""NVTX of programs in C and C++, from outside: what is recorded, however the program lives and dies.

Each program is built with our own client of NVTX, and where the CUDA toolkit is installed with NVIDIA's headers too.
"""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")).absolute()
LIB = BIN.parent / "lib"
OPSIGHT = BIN / "opsight"
VARIANTS = [variant for variant in ("own", "real") if (BIN / f"nvtx_odd_{variant}").exists()]


class Nvtx(unittest.TestCase):
    PATIENCE = 60  # seconds, for one recording

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_nvtx_")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.profile = self.dir / "run.opsight"

    def run_profile(self, *command, options=(), **more):
        return subprocess.run([OPSIGHT, "profile", "--force", "-o", self.profile, *options, "--", *command],
                              capture_output=True, text=True, timeout=self.PATIENCE, cwd=self.dir, **more)

    def odd(self, *arguments, variant="own", options=(), **more):
        return self.run_profile(BIN / f"nvtx_odd_{variant}", *arguments, options=options, **more)

    def sql(self, query):
        done = subprocess.run([OPSIGHT, "sql", self.profile, query, "--format", "json"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def counts(self):
        return {row["text"]: row["n"] for row in self.sql(
            "SELECT text, count(*) AS n FROM nvtx_ranges GROUP BY text")}

    def diagnostics(self):
        return {row["key"]: row["count"] for row in self.sql("SELECT key, count FROM diagnostics")}

    def assert_ran(self, done, code=9):
        self.assertEqual((done.returncode, done.stdout), (code, "ran\n"), done.stderr)


class Everything(Nvtx):
    def ranges(self):
        rows = self.sql("SELECT * FROM nvtx_ranges ORDER BY begin_ns, type")
        return {row["text"]: row for row in rows if row["text"] != "payloads"}, [
            row["payload"] for row in rows if row["text"] == "payloads"]

    def test_every_call_is_recorded_with_its_values(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                done = self.run_profile(BIN / f"nvtx_everything_{variant}")
                self.assertEqual((done.returncode, done.stdout), (7, "depths 0 1 1 0 -1\n"), done.stderr)
                self.check_ranges()
                self.check_counters()
                self.check_threads()

    def check_ranges(self):
        ranges, payloads = self.ranges()
        self.assertEqual([float(payload) for payload in payloads], [1, 2.5, 3, -4])
        for text, kind in (("outer", "push_pop"), ("inner é世", "push_pop"), ("a mark", "mark"),
                           ("a wide mark", "mark"), ("started and ended", "start_end"),
                           ("never ended", "start_end"), ("default domain", "push_pop")):
            self.assertEqual((ranges[text]["type"], ranges[text]["domain"]), (kind, None), text)
        self.assertLessEqual(ranges["outer"]["begin_ns"], ranges["inner é世"]["begin_ns"])
        self.assertLessEqual(ranges["inner é世"]["end_ns"], ranges["outer"]["end_ns"])
        self.assertTrue(ranges["never ended"]["unfinished"])
        rows = self.sql("SELECT unfinished, count(*) AS n FROM nvtx_ranges WHERE text = 'one of a hundred' GROUP BY 1")
        self.assertEqual([tuple(row.values()) for row in rows], [(False, 100)])
        self.assertFalse(ranges["outer"]["unfinished"])
        rows = self.sql("SELECT type, domain, category, category_name, color, payload FROM nvtx_ranges "
                        "WHERE text = 'registered text' ORDER BY type")
        self.assertEqual([tuple(row.values()) for row in rows], [
            ("push_pop", "test.domain", 7, "seventh", 0xff336699, "-42"),
            ("start_end", "test.domain", 7, "seventh", 0xff336699, "1.5")])
        crossing = ranges["across threads"]
        self.assertNotEqual(crossing["tid"], crossing["end_tid"])
        self.assertEqual(crossing["end_tid"], ranges["in the other thread"]["tid"])
        payload = {"kind": "write", "load": [0.5, 1.5], "bytes": 4096, "name": "checkpoint"}
        self.assertEqual(json.loads(ranges["with a schema"]["payload"]), payload)
        self.assertEqual(json.loads(ranges["(no text)"]["payload"]), [payload, payload])  # of push and of pop

    def check_counters(self):
        rows = self.sql("SELECT name, value FROM counters ORDER BY time_ns")
        values = {}
        for row in rows:
            values.setdefault(row["name"], []).append(row["value"])
        self.assertEqual(values, {"schemas/queue": [5, 9], "schemas/group.load.0": [10],
                                  "schemas/group.load.1": [20], "schemas/group.bytes": [30],
                                  "heap pool (bytes)": [1000, 1200, 200]})

    def check_threads(self):
        names = {row["name"] for row in self.sql("SELECT name FROM tracks")}
        self.assertLessEqual({"the main thread", "the other thread"}, names)
        waits = self.sql("SELECT count(*) AS n FROM annotations WHERE name = 'wait for the lock'")
        self.assertEqual(waits[0]["n"], 1)


class Later(Nvtx):
    """What a program tells of events after they were: payloads of ends, and deferred events on other clocks."""

    def test_all_of_it(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                done = self.run_profile(BIN / f"nvtx_later_{variant}")
                self.assert_ran(done)
                self.assertEqual({key: count for key, count in self.diagnostics().items() if key not in ("no_iterations", "overlapping_spans")}, {})
                rows = self.sql("SELECT * FROM nvtx_ranges ORDER BY begin_ns")
                self.check_ends(rows)
                ranges = {row["text"]: row for row in rows}
                self.check_deferred(ranges)
                self.check_counters(ranges["on its own clock"])
                facts = {row["key"]: row["value"] for row in self.sql("SELECT key, value FROM meta")}
                self.assertEqual(facts["property.nvtx_memory_permissions"], "1 regions assigned (1 to read, 0 to write, "
                                 "0 for atomics), 1 sets made, 1 bound")

    def check_ends(self, rows):
        found = [(row["text"], row["type"], json.loads(row["payload"] or "null")) for row in rows
                 if row["text"] in ("outer", "named at its end", "(no text)")]
        self.assertEqual(found, [
            ("outer", "push_pop", {"bytes": 2}), ("named at its end", "push_pop", [{"bytes": 1}, {"name": "named at its end"}]),
            ("(no text)", "start_end", [{"bytes": 1}, "a text alone"])])

    def check_deferred(self, ranges):
        around = ranges["around"]
        slack = 300_000  # ns: what lies between two calls of the program, and the clocks' own errors
        for name in ("on its own clock", "on a raw clock", "by a factor", "by its scope", "on the tool's clock"):
            row = ranges[name]
            self.assertEqual((row["type"], row["domain"]), ("start_end", "later"), name)
            self.assertGreaterEqual(row["begin_ns"], around["begin_ns"] - slack, name)
            self.assertLessEqual(row["end_ns"], around["end_ns"] + slack, name)
            self.assertGreater(row["end_ns"] - row["begin_ns"], 20_000_000 - slack, name)
        self.assertEqual((ranges["on its own clock"]["category"], ranges["on its own clock"]["category_name"]),
                         (4, "fourth"))
        mark = ranges["a mark of before"]
        self.assertEqual(mark["type"], "mark")
        self.assertTrue(around["begin_ns"] < mark["begin_ns"] < around["end_ns"])

    def check_counters(self, own):
        values, times = {}, {}
        for row in self.sql("SELECT name, value, time_ns FROM counters ORDER BY time_ns"):
            values.setdefault(row["name"], []).append(row["value"])
            times.setdefault(row["name"], []).append(row["time_ns"])
        self.assertEqual(values, {"later/each (requests)": [5, 12, 10], "later/steps": [5, 7, -2],
                                  "later/inside.value": [1, 2]})
        step = (own["end_ns"] - own["begin_ns"]) / 4
        for series in times.values():
            for i, time in enumerate(series):
                self.assertAlmostEqual(time, own["begin_ns"] + i * step, delta=10)


class Payloads(Nvtx):
    """Payloads that refer to more than themselves, and what counters mean."""

    def test_all_of_it(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                self.assert_ran(self.run_profile(BIN / f"nvtx_payloads_{variant}"))
                rows = self.sql("SELECT text, payload FROM nvtx_ranges")
                payloads = {row["text"]: json.loads(row["payload"] or "null") for row in rows}
                self.check_pointers(payloads)
                self.check_lists(payloads)
                self.check_unions(payloads)
                for name, values in (("first", [10]), ("second", [20, 30])):
                    payload = payloads[name]
                    self.assertEqual((payload["name"], payload["count"], payload["values"]), (name, len(values), values))
                self.check_counters()
                # Pointers that were not followed, and payloads with a problem, are counted.
                self.assertGreaterEqual(self.diagnostics()["unread_row"], 6)
                self.assertNotIn("lost_records", self.diagnostics())

    def check_pointers(self, payloads):
        self.assertEqual(payloads["arrays"], {
            "count": 3, "counted": [-1, 2, -3], "three": [0.5, 1.0, 2.0], "ended": [7, 8], "raw": "ab01",
            "wide": "w\u00efde", "none": None, "nowhere": "0x0000000000000010"})
        shape = payloads["referenced"]
        self.assertEqual((shape["rank"], shape["sizes"]), (2, [32, 64]))
        self.assertRegex(shape["elsewhere"], "^0x")
        self.assertEqual(payloads["by another payload"], [[2, 2], {"data": [1.0, 2.0, 3.0, 4.0]}])
        self.assertEqual(payloads["offsets"], {"name": "inside", "value": 17})

    def check_lists(self, payloads):
        def values(node):
            while isinstance(node, dict):
                yield node["value"]
                node = node["next"]
            yield node
        self.assertEqual(list(values(payloads["a list"])), [1, 2, 3, None])
        circle, chain = list(values(payloads["a circle"])), list(values(payloads["a long list"]))
        self.assertEqual(circle[:-1], [1] * 8)
        self.assertEqual(chain[:-1], [0, 1, 2, 3, 4])
        for end in (circle[-1], chain[-1]):
            self.assertRegex(end, "^0x")
        large = payloads["a large array"]["values"]
        self.assertTrue(4000 < len(large) < 20_000 and set(large) == {5})

    def check_unions(self, payloads):
        self.assertEqual([payloads[f"union of {what}"] for what in ("a number", "a real", "a pointer", "nothing")],
                         [{"number": -7}, {"first": {"real": 2.5}, "behind": 5}, {"pointed": 42}, None])

    def check_counters(self):
        values = {}
        for row in self.sql("SELECT name, value FROM counters ORDER BY time_ns"):
            values.setdefault(row["name"], []).append(round(row["value"], 6))
        self.assertEqual(values, {"payloads/share": [1, 0.333333, 0.2], "payloads/swing": [-1, 1],
                                  "payloads/group.load": [1], "payloads/group.heat (C)": [-5],
                                  "payloads/group.plain": [6]})
        facts = {row["key"]: row["value"] for row in self.sql("SELECT key, value FROM meta")}
        self.assertEqual(facts["property.nvtx_counter payloads/group.heat (C)"],
                         "at least -20, at most 110, linear between samples")


class Living(Nvtx):
    def each(self, *arguments, **more):
        for variant in VARIANTS:
            with self.subTest(variant):
                yield self.odd(*arguments, variant=variant, **more)

    def test_the_processor_is_told(self):
        self.odd("many", "10")
        facts = {row["key"]: row["value"] for row in self.sql("SELECT key, value FROM raw.meta")}
        self.assertTrue(facts["property.cpu_model"])
        self.assertEqual(int(facts["property.cpu_count"]), os.cpu_count())

    def test_threads_lose_nothing(self):
        for done in self.each("threads"):
            self.assert_ran(done)
            self.assertEqual(self.counts(), {"thread": 160_000})
            self.assertEqual({row["n"] for row in self.sql(
                "SELECT count(*) AS n FROM nvtx_ranges GROUP BY tid")}, {20_000})

    def test_threads_that_outlive_main(self):
        for done in self.each("outlive"):
            self.assert_ran(done)
            self.assertEqual(self.counts()["first"], 400)

    def test_a_forked_child_has_a_track_and_a_file_of_its_own(self):
        for done in self.each("fork"):
            self.assert_ran(done)
            self.assertEqual(self.counts(), {"open at fork": 1, "parent": 200, "child": 50, "in the child's domain": 1})
            rows = self.sql("SELECT DISTINCT pid, text, domain FROM nvtx_ranges ORDER BY text")
            pids = {row["text"]: row["pid"] for row in rows}
            self.assertNotEqual(pids["parent"], pids["child"])
            self.assertIn("made before fork", [row["domain"] for row in rows])

    def test_forks_in_the_middle_of_other_threads_calls(self):
        for done in self.each("fork_storm"):
            self.assert_ran(done)
            self.assertEqual(self.counts()["storm child"], 300)

    def test_ranges_in_signal_handlers(self):
        for done in self.each("signals"):
            self.assert_ran(done)
            found, lost = self.counts(), self.diagnostics().get("lost_records", 0)
            self.assertEqual(found["interrupted"], 2_000_000)
            self.assertGreater(found.get("in the handler", 0) + lost, 10)
            self.assertNotIn("bad_event", self.diagnostics())
            # What a handler begins and ends is nothing of the ranges that it interrupted.
            (row,) = self.sql("SELECT max(end_ns) FILTER (text = 'interrupted') AS last, "
                              "max(end_ns) FILTER (text = 'around') AS around FROM nvtx_ranges")
            self.assertGreaterEqual(row["around"], row["last"])

    def test_libraries_with_copies_of_nvtx(self):
        plugin = LIB / "libnvtx_plugin.so"
        for done in self.each("plugin", plugin):
            self.assert_ran(done)
            self.assertEqual(self.counts(), {"main program": 1, "in the plugin": 1, "plugin, default domain": 1})

    def test_a_program_without_nvtx_is_told_so(self):
        done = self.run_profile("sh", "-c", "echo ran; exit 9", options=["--nvtx"])
        self.assert_ran(done)
        self.assertIn("nothing was recorded", done.stderr)
        self.assertFalse(self.profile.exists())


class Dying(Nvtx):
    def test_what_came_before_the_end_is_kept(self):
        for how, code in (("kill", 137), ("_exit", 3), ("abort", 134), ("exec", 4)):
            for variant in VARIANTS:
                with self.subTest(how=how, variant=variant):
                    self.assert_ran(self.odd(how, variant=variant), code)
                    self.assertEqual(self.counts(), {"open at the end": 1, "before the end": 1000})
                    self.assertIn("capture_not_closed", self.diagnostics())

    def test_a_full_disk_stops_the_recording_and_not_the_program(self):
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount a small file system")
        (self.dir / "small").mkdir()
        script = self.dir / "run.sh"
        script.write_text("""
            mount -t tmpfs -o size=6m none small
            "$1" profile -o small/run.opsight -- "$2" many 1000000 2000
            code=$?
            "$1" import --quiet -o run.opsight small/run.opsight.capture-*
            exit $code
        """, encoding="utf-8")
        done = subprocess.run(["unshare", "-m", "sh", script, OPSIGHT, BIN / "nvtx_odd_own"],
                              capture_output=True, text=True, cwd=self.dir)
        self.assert_ran(done)
        (line,) = self.full(done)
        self.assertIn("The disk is full", line)
        kept, lost = self.counts()["one of many"], self.diagnostics()["lost_records"]
        self.assertGreater(kept, 100_000)
        self.assertIn(kept + lost, (1_000_000, 1_000_001))  # the last reading of the clock may be lost too

    def full(self, done):
        return [line for line in done.stderr.splitlines() if "recording of process" in line and "is full" in line]

    # The launcher looks every second, so these programs stay for two.
    def test_what_no_record_holds_is_no_want_of_room(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                done = self.odd("beyond", "", "2000", variant=variant)
                self.assert_ran(done)
                self.assertEqual(self.full(done), [])
                self.assertEqual(self.counts(), {"deep": 1100, "with a payload": 1})
                reasons = {row["text"]: row["n"] for row in self.sql(
                    "SELECT text, count(*) AS n FROM diagnostic_places WHERE key = 'lost_records' GROUP BY 1")}
                self.assertEqual(len(reasons), 2, reasons)
                self.assertTrue(any("deeper than 1024" in reason for reason in reasons), reasons)
                self.assertTrue(any(reason.startswith("payloads") for reason in reasons), reasons)
                self.assertEqual(self.diagnostics()["lost_records"], 1100 - 1024 + 1)

    def test_texts_that_are_cut_are_counted(self):
        for variant in VARIANTS:
            with self.subTest(variant):
                self.assert_ran(self.odd("long_texts", variant=variant))
                self.assertEqual(self.counts(), {"a" * 4096: 3, "w" * 4096: 3, "r" * 4096: 3, "f" * 4096: 1})
                self.assertEqual(self.diagnostics()["cut_text"], 3)

    def test_a_full_recording_is_told_with_what_helps(self):
        (line,) = self.full(self.odd("many", "200000", "2000", options=["--buffer-mb", "2"]))
        self.assertIn("--buffer-mb", line)
        # In blocks of 512 bytes: 2 MB, of the program's own.
        limited = self.run_profile("sh", "-c", 'ulimit -f 4096; exec "$0" many 200000 2000', BIN / "nvtx_odd_own")
        (line,) = self.full(limited)
        self.assertIn("ulimit", line)
        self.assertNotIn("--buffer-mb", line)

    def test_signals_during_the_import(self):
        """The recording stays, and nothing of half a profile; what is ignored, as nohup has it, changes nothing."""
        for number, ignored in ((signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGHUP, True)):
            with self.subTest(number.name), subprocess.Popen(
                    [OPSIGHT, "profile", "-o", self.profile, "--", BIN / "nvtx_odd_own", "many", "1000000"], text=True,
                    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=self.dir,
                    preexec_fn=lambda: signal.signal(number, signal.SIG_IGN if ignored else signal.SIG_DFL)) as run:
                until = time.monotonic() + self.PATIENCE
                while not list(self.dir.glob(".*.part")) and time.monotonic() < until:
                    time.sleep(0.01)
                run.send_signal(number)
                _, said = run.communicate(timeout=self.PATIENCE)
                self.assertEqual(run.returncode, 9 if ignored else 128 + number, said)
                self.assertEqual("the recording is kept" in said, not ignored, said)
                self.assertEqual(self.profile.exists(), ignored)
                self.assertEqual(list(self.dir.glob(".*")), [])

    def test_a_folder_that_becomes_read_only(self):
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("needs the right to mount a file system")
        folder = self.dir / "captures"
        folder.mkdir()
        script = "mount -t tmpfs none captures && mount -o remount,ro captures && exec \"$@\""
        environment = dict(os.environ, NVTX_INJECTION64_PATH=str(LIB / "libopsight_nvtx.so"),
                           OPSIGHT_CAPTURE_DIR=str(folder))
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", BIN / "nvtx_odd_own", "many", "1000"],
                              capture_output=True, text=True, cwd=self.dir, env=environment)
        self.assert_ran(done)
        self.assertIn("not recording NVTX", done.stderr)

    def test_a_limit_on_the_buffer_is_kept_and_told(self):
        done = self.odd("many", "300000", options=["--buffer-mb", "2", "--keep-capture"])
        self.assert_ran(done)
        kept, lost = self.counts()["one of many"], self.diagnostics()["lost_records"]
        self.assertIn(kept + lost, (300_000, 300_001))
        captures = list(self.dir.glob("*.capture-*/*.opcap"))
        self.assertEqual(len(captures), 1)
        self.assertLessEqual(captures[0].stat().st_size, (2 << 20) + 4096)


    def test_the_newest_are_kept_where_that_is_asked_for(self):
        done = self.odd("many", "300000", options=["--buffer-mb", "2", "--keep-last", "--keep-capture"])
        self.assert_ran(done)
        kept, lost = self.counts()["one of many"], self.diagnostics()["lost_records"]
        self.assertEqual(kept + lost, 300_000)
        self.assertGreater(kept, 60_000)
        (capture,) = self.dir.glob("*.capture-*/*.opcap")
        self.assertLessEqual(capture.stat().st_size, (2 << 20) + 4096)

    def test_every_call_is_recorded_the_same_where_the_newest_are_kept(self):
        for program, columns in (("everything", ", payload"), ("later", "")):  # whose payloads tell times
            with self.subTest(program):
                query = (f"SELECT text, type, domain, category_name{columns} FROM nvtx_ranges ORDER BY ALL",
                         "SELECT name, count(*) AS n FROM counters GROUP BY name ORDER BY name")
                found = []
                for options in ((), ("--buffer-mb", "1", "--keep-last")):
                    done = self.run_profile(BIN / f"nvtx_{program}_own", options=options)
                    found.append([self.sql(text) for text in query])
                self.assertEqual(found[0], found[1], done.stderr)
                self.assertGreaterEqual(len(found[0][0]), 10)


class Choosing(Nvtx):
    def test_recording_while_a_range_is_open(self):
        for options, times in ((["--capture-range", "wanted"], 1),
                               (["--capture-range", "wanted", "--capture-repeat"], 3)):
            with self.subTest(options):
                done = self.odd("capture", "3", options=options)
                self.assert_ran(done)
                self.assertNotIn("never began", done.stderr)
                self.assertEqual(self.counts(), {"wanted": times, "inside": 10 * times})

    def test_a_range_that_never_comes(self):
        done = self.odd("capture", "3", options=["--capture-range", "wanted@elsewhere"])
        self.assert_ran(done)
        self.assertIn("wanted@elsewhere never began", done.stderr)
        self.assertNotIn("wanted", self.counts() if self.profile.exists() else {})

    def test_domains_are_chosen_and_sampled(self):
        everything = {(None, "plain"): 100, ("noisy", "outer"): 100, ("noisy", "inner"): 100,
                      ("quiet", "outer"): 100, ("quiet", "inner"): 100}
        cases = (([], everything),
                 (["--nvtx-exclude", "noisy"], {k: v for k, v in everything.items() if k[0] != "noisy"}),
                 (["--nvtx-include", "default"], {(None, "plain"): 100}),
                 (["--nvtx-include", "noisy", "--nvtx-sample", "noisy=10"],
                  {("noisy", "outer"): 10, ("noisy", "inner"): 10}),
                 (["--nvtx-sample", "noisy=10"], {**everything, ("noisy", "outer"): 10, ("noisy", "inner"): 10}))
        for options, expected in cases:
            with self.subTest(options):
                self.assert_ran(self.odd("sampled", options=options))
                rows = self.sql("SELECT domain, text, count(*) AS n FROM nvtx_ranges GROUP BY domain, text")
                self.assertEqual({(row["domain"], row["text"]): row["n"] for row in rows}, expected)

    def test_delay_and_duration(self):
        done = self.odd("many", "1000", options=["--delay", "60"])
        self.assert_ran(done)
        self.assertIn("nothing that the program did lies in what the options choose", done.stderr)
        self.assertEqual(self.counts() if self.profile.exists() else {}, {})
        self.assert_ran(self.odd("many", "3000000", options=["--duration", "0.02"]))
        self.assertLess(self.counts()["one of many"], 3_000_000)

    def test_flushing(self):
        self.assert_ran(self.odd("many", "1000", options=["--flush-every", "0.01"]))
        self.assertEqual(self.counts(), {"one of many": 1000})

    def test_odd_options_are_refused(self):
        for options in (["--nvtx-sample", "noisy"], ["--nvtx-sample", "noisy=0"], ["--collector", "nothing"],
                        ["--capture-repeat"]):
            done = self.odd("many", "1", options=options)
            self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(subprocess.run([OPSIGHT, "profile"], capture_output=True).returncode, 2)

    def test_check_tells_what_works_here(self):
        done = subprocess.run([OPSIGHT, "profile", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}
        self.assertEqual(set(found), {"nvtx", "pytorch", "cuda", "nsys", "counters"})
        self.assertEqual(found["nvtx"], "yes")


if __name__ == "__main__":
    unittest.main()
