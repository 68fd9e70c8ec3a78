"""Waits for a processor: a program that has to share one, beside what the kernel counts for it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

OPSIGHT = pathlib.Path(os.environ.get("OPSIGHT_BIN_DIR", "build/bin")) / "opsight"
PYTHON = os.environ.get("OPSIGHT_PYTHON") or sys.executable
WAITED = "/proc/thread-self/schedstat"

# Iterations of ops that take some milliseconds, and Python beside them; says what it waited by its own reading.
PROGRAM = textwrap.dedent("""
    import time, torch
    torch.set_num_threads(1)
    model = torch.nn.Linear(256, 256)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    waited = lambda: int(open("/proc/thread-self/schedstat").read().split()[1])
    batch = torch.ones(128, 256)
    before = None
    for step in range(20):
        model(batch).sum().backward()
        before = before or waited()
        optimizer.step()
        optimizer.zero_grad()
        until = time.thread_time() + 0.03
        while time.thread_time() < until:
            pass
    print("waited", waited() - before)
""")
BUSY = "import time\nwhile True: pass"


def counts_waits():
    try:
        return int(pathlib.Path(WAITED).read_text().split()[0]) > 0
    except OSError:
        return False


@unittest.skipUnless(counts_waits(), f"this kernel tells no waits for a processor ({WAITED})")
class RunQueue(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="opsight_run_queue_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.profile = self.folder / "a.opsight"
        (self.folder / "train.py").write_text(PROGRAM)

    def record(self, beside):
        """On one processor, with so many programs that want it too; returns what the program itself read."""
        place = min(os.sched_getaffinity(0))
        pin = ["taskset", "-c", str(place)]
        others = [subprocess.Popen([*pin, sys.executable, "-c", BUSY]) for _ in range(beside)]
        try:
            done = subprocess.run([*pin, OPSIGHT, "profile", "-o", self.profile, "--", PYTHON, "train.py"],
                                  cwd=self.folder, capture_output=True, text=True)
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(next(line for line in done.stdout.splitlines() if line.startswith("waited")).split()[1])

    def sql(self, text):
        done = subprocess.run([OPSIGHT, "sql", self.profile, text, "--format", "json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def advice(self):
        done = subprocess.run([OPSIGHT, "advise", self.profile, "--format", "json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_what_the_program_waits_is_what_the_kernel_counts(self):
        read_ns = self.record(beside=2)
        first = "(SELECT min(end_ns) FROM iterations)"
        row = self.sql(f"SELECT sum(dur_ns) FILTER (begin_ns > {first})::BIGINT AS late, sum(dur_ns)::BIGINT AS ns, "
                       "max(dur_ns)::BIGINT AS longest FROM other_spans WHERE category = 'run_queue'")[0]
        wall = self.sql("SELECT (max(end_ns) - min(begin_ns))::BIGINT AS ns FROM iterations")[0]["ns"]
        self.assertGreater(read_ns, 0.2 * wall, "two of three programs wait at any time")
        self.assertGreater(row["ns"], 0.8 * read_ns)
        self.assertLess(row["late"], 1.1 * read_ns + 20e6)
        advice = self.advice()
        titles = {finding["id"]: finding["title"] for finding in advice["findings"]}
        self.assertIn("waits for a processor", titles.get("run_queue", ""), titles)

    def test_what_it_waits_is_no_time_of_the_program(self):
        self.record(beside=3)
        report = subprocess.run([OPSIGHT, "report", self.profile, "--format", "json"], capture_output=True, text=True)
        idle_pct = json.loads(report.stdout)["summary"]["idle_pct"]
        found = {finding["id"]: finding for finding in self.advice()["findings"]}
        self.assertIn("its thread was ready to run", found["outside"]["evidence"])
        self.assertLess(found["outside"]["share_pct"], idle_pct - 20)


if __name__ == "__main__":
    unittest.main()
