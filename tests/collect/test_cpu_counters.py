"""Counters of the processor around ops: a capture with all of them that is made up byte by byte, and a live recording."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest

OPSIGHT = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")) / "opsight"
PYTHON = os.environ.get("OPSIGHT_PYTHON") or sys.executable

# As src/base/cpu_counters.h has them: the counters, then when each group was to count and did.
COUNTERS = ("task_clock_ns page_faults context_switches cycles instructions stalled_frontend_cycles "
            "stalled_backend_cycles l1_loads l1_load_misses l1_stores llc_loads llc_load_misses branches "
            "branch_misses").split()
SLOTS = COUNTERS + [f"{group}_{what}" for group in ("core", "l1", "llc", "branch") for what in ("enabled", "running")]
NOT_COUNTED, NO_LINK = 2**64 - 1, 2**64 - 1
HEADER, CHUNK, START = 4096, 64 * 1024, 1_000_000


def blob(kind, number, text, name=0, scope=0):
    data = text.encode()
    size = 16 + (len(data) + 7) // 8 * 8
    return struct.pack("<HHIIHBx", kind, size, number, name, len(data), scope) + data.ljust(size - 16, b"\0")


def counted_op(kind, begin, dur, values, mask=None):
    """`values`: by name of the slot; the others are not in the record."""
    slots = [slot for slot, name in enumerate(SLOTS) if name in values]
    bits = sum(1 << slot for slot in slots) if mask is None else mask
    head = struct.pack("<HHIQQQII", 52, 40 + 8 * len(slots), kind, begin, dur, NO_LINK, bits, 0)
    return head + b"".join(struct.pack("<Q", values[SLOTS[slot]]) for slot in slots)


def capture(records):
    content = b"".join(records)
    chunk = struct.pack("<6I", 0x4B4E4843, 0, 0, 100, 24 + len(content), 0) + content
    head = struct.pack("<8sIIIIIIII", b"OPSCAP\r\n", 2, 0x01020304, HEADER, CHUNK, 1, 2, 100, 1)
    head += struct.pack("<Qqqq", START, START, START + 1_700_000_000 * 10**9, 50)
    head += struct.pack("<IIQI", 1, 1, 0, 1)
    return head.ljust(HEADER, b"\0") + chunk.ljust(CHUNK, b"\0")


def all_slots(**values):
    return {name: values.get(name, 0) for name in SLOTS}


class Made(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_counters_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.profile = self.folder / "a.opsight"

    def run_opsight(self, *arguments, code=0):
        done = subprocess.run([OPSIGHT, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def sql(self, text):
        return json.loads(self.run_opsight("sql", self.profile, text, "--format", "json").stdout)

    def rows(self, section="characterize_kernels"):
        report = json.loads(self.run_opsight("report", self.profile, "--report", "characterize", "--format", "json").stdout)
        return {row["kernel_name"]: row for row in report["characterize"][section]}


class Replayed(Made):
    """Numbers are worked out by hand."""

    def setUp(self):
        super().setUp()
        kinds = [blob(1, 1, "aten::outer"), blob(2, 2, "", name=1), blob(1, 3, "aten::inner"), blob(2, 4, "", name=3),
                 blob(1, 5, "aten::unturned"), blob(2, 6, "", name=5), blob(1, 7, "aten::plain"), blob(2, 8, "", name=7)]
        property_of = blob(9, 9, "cpu_caches\0L1=32768 L2=524288 L3=33554432")
        turns = {"core_enabled": 1000, "core_running": 1000, "l1_enabled": 1000, "l1_running": 250,
                 "llc_enabled": 1000, "llc_running": 0}
        outer = all_slots(task_clock_ns=8000, page_faults=7, context_switches=3, cycles=10_000, instructions=20_000,
                          stalled_backend_cycles=4000, l1_loads=1000, l1_load_misses=100, **turns)
        inner = all_slots(task_clock_ns=3000, page_faults=2, context_switches=1, cycles=4000, instructions=5000,
                          stalled_backend_cycles=1000, l1_loads=600, l1_load_misses=60, core_enabled=400,
                          core_running=400, l1_enabled=400, l1_running=100, llc_enabled=400, llc_running=0)
        partly = {"task_clock_ns": 100, "page_faults": NOT_COUNTED}
        # Old records stand beside the new ones; an op of kind 8 is not counted.
        plain = struct.pack("<HHIQQ", 3, 24, 8, START + 40_000, 500)
        unended = counted_op(6, START + 60_000, 0, {"task_clock_ns": 5, "page_faults": 5})
        self.opcap = self.folder / "1-0.opcap"
        self.opcap.write_bytes(capture(kinds + [property_of, counted_op(2, START + 10_000, 10_000, outer),
                                                counted_op(4, START + 12_000, 4000, inner),
                                                counted_op(6, START + 30_000, 1000, partly), plain, unended]))
        self.run_opsight("import", self.opcap, "-o", self.profile)

    def test_self_counts_are_those_without_the_children(self):
        rows = {row["name"]: row for row in self.sql("FROM op_counters WHERE name <> 'aten::unturned'")}
        self.assertEqual(rows["aten::outer"]["task_clock_ns"], 5000)
        self.assertEqual(rows["aten::outer"]["page_faults"], 5)
        self.assertEqual(rows["aten::outer"]["instructions"], 15_000)
        self.assertEqual(rows["aten::inner"]["instructions"], 5000)
        # A quarter of the time was counted.
        self.assertEqual(rows["aten::outer"]["l1_loads"], 1600)
        self.assertEqual(rows["aten::inner"]["l1_loads"], 2400)
        self.assertNotIn("aten::plain", rows)

    def test_what_was_not_counted_is_null_and_never_0(self):
        rows = self.rows()
        for key in ("llc_hit_pct", "dram_bytes_per_s", "l2_hit_pct", "branch_misses_pct"):
            self.assertIsNone(rows["aten::outer"][key], key)
        self.assertIsNone(self.sql("SELECT llc_loads FROM op_counters WHERE name = 'aten::outer'")[0]["llc_loads"])
        self.assertIsNone(rows["aten::unturned"]["page_faults"])
        self.assertIsNone(rows["aten::unturned"]["instructions"])
        self.assertIsNone(rows["aten::plain"]["page_faults"])
        self.assertEqual(rows["aten::plain"]["sources"], "")
        self.assertEqual(rows["aten::outer"]["sources"], "perf")

    def test_parameters(self):
        outer, inner = self.rows()["aten::outer"], self.rows()["aten::inner"]
        self.assertEqual(outer["time_ns"], 6000)
        self.assertAlmostEqual(outer["off_cpu_pct"], 100 * 1000 / 6000)
        self.assertAlmostEqual(outer["stalled_pct"], 50)
        self.assertAlmostEqual(outer["instructions_per_cycle"], 2.5)
        self.assertAlmostEqual(outer["l1_hit_pct"], 90)
        self.assertAlmostEqual(outer["loads_pct"], 100 * 1600 / 15_000)
        self.assertAlmostEqual(inner["off_cpu_pct"], 25)
        self.assertEqual(inner["context_switches"], 1)

    def test_people_read_what_is_missing_and_that_groups_took_turns(self):
        text = self.run_opsight("report", self.profile, "--report", "characterize").stdout
        self.assertIn("took turns", text)
        self.assertIn("L1 25.0 %", text)
        self.assertNotIn("DRAM Read", text)

    def test_records_that_cannot_be_are_counted_and_not_believed(self):
        kinds = [blob(1, 1, "aten::bad"), blob(2, 2, "", name=1)]
        bits = counted_op(2, START + 1000, 100, {"task_clock_ns": 5}, mask=1 << 31)
        short = counted_op(2, START + 2000, 100, {"task_clock_ns": 5}, mask=0b111)
        huge = counted_op(2, START + 3000, 100, {"task_clock_ns": 2**63})
        other = self.folder / "bad.opcap"
        other.write_bytes(capture(kinds + [bits, short, huge]))
        self.run_opsight("import", other, "-o", self.profile, "--force")
        self.assertEqual([row["task_clock_ns"] for row in self.sql("FROM op_counters")], [None])
        self.assertGreaterEqual(self.sql("SELECT sum(count)::INT AS n FROM diagnostics WHERE key = 'bad_event'")[0]["n"], 3)


def lacks():
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
        return f"{PYTHON} has no torch"
    if not (OPSIGHT.parent / "../lib/libopsight_torch.so").exists():
        return "the PyTorch observer was not built"
    checked = subprocess.run([OPSIGHT, "profile", "--check"], capture_output=True, text=True).stdout
    line = next((line for line in checked.splitlines() if line.startswith("counters")), "")
    return None if "page_faults" in line.split("; not")[0] else f"perf events are not permitted here: {line}"


LACKS = lacks()
PROGRAM = """
    import json, os, resource, sys, threading
    import torch
    torch.set_num_threads(1)
    def used():
        usage = resource.getrusage(resource.RUSAGE_THREAD)
        return [usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw, int((usage.ru_utime + usage.ru_stime) * 1e9)]
    torch.ones(8)  # what starting takes
    before = used()
    for i in range(20):
        kept = torch.ones(1 << 21) + 1  # fresh pages
    after = used()
    json.dump([b - a for a, b in zip(before, after)], open(sys.argv[1], "w"))
    kept = []  # what one thread freed the next would have without a fault
    threads = [threading.Thread(target=lambda: kept.append(torch.full((1 << 20,), 2.0))) for _ in range(3)]
    [each.start() for each in threads]; [each.join() for each in threads]
    if os.fork() == 0:
        torch.zeros(1 << 18).fill_(3)
        os._exit(0)
    os.wait()
"""


@unittest.skipIf(LACKS, LACKS)
class Live(Made):
    def record(self, *options):
        script = self.folder / "run.py"
        script.write_text(textwrap.dedent(PROGRAM))
        done = subprocess.run([OPSIGHT, "profile", "-o", self.profile, "--force", *options, "--", PYTHON, script,
                               self.folder / "usage.json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_sums_are_those_of_getrusage(self):
        self.record("--counters", "task_clock_ns,page_faults,context_switches")
        faults, switches, cpu_ns = json.loads((self.folder / "usage.json").read_text())
        # The ops between the two readings are nearly all that the main thread did there.
        row = self.sql("SELECT sum(c.page_faults) AS faults, sum(c.context_switches) AS switches, sum(c.task_clock_ns) AS ns, "
                       "count(*)::INT AS ops, min(c.task_clock_ns) AS least FROM op_counters c JOIN ops o ON o.id = c.id "
                       "WHERE o.pid = o.tid AND o.name IN ('aten::ones', 'aten::empty', 'aten::fill_', 'aten::add')")[0]
        self.assertGreaterEqual(row["ops"], 80)
        self.assertGreater(faults, 1000)
        self.assertLess(abs(row["faults"] - faults), 0.1 * faults + 50)
        self.assertLessEqual(row["switches"], switches + 50)
        self.assertLess(row["ns"], 1.3 * cpu_ns + 5e6)
        self.assertGreater(row["ns"], 0.5 * cpu_ns - 10e6)
        self.assertGreaterEqual(row["least"], 0)

    def test_threads_and_forked_children_count_themselves(self):
        self.record("--counters", "page_faults")
        rows = self.sql("SELECT o.pid, o.tid, sum(c.page_faults) AS faults FROM op_counters c JOIN ops o ON o.id = c.id "
                        "GROUP BY ALL HAVING faults > 0")
        self.assertGreaterEqual(len({row["pid"] for row in rows}), 2)
        self.assertGreaterEqual(len({row["tid"] for row in rows}), 4)

    def test_off_by_default(self):
        self.record()
        self.assertEqual(self.sql("SELECT count(*)::INT AS n FROM op_counters")[0]["n"], 0)
        self.assertEqual(self.sql("SELECT count(*)::INT AS n FROM meta WHERE key LIKE '%cpu_counters%'")[0]["n"], 0)

    def test_a_counter_that_is_none_is_refused_with_the_names(self):
        done = self.run_opsight("profile", "--counters", "cycles,nonsense", "--", "true", code=2)
        self.assertIn('there is no counter "nonsense"', done.stderr)
        self.assertIn("l1_load_misses", done.stderr)


if __name__ == "__main__":
    unittest.main()
