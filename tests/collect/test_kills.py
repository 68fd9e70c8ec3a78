"""Processes that are killed with -9 at random moments, from before their first call on: nothing is lost that they had
recorded, and never the run. A few by default; OPSIGHT_KILLS=1000 kills so many.
"""
import os
import pathlib
import struct
import sys
import unittest

from test_nvtx import BIN, Nvtx
from test_profile import LACKS, PYTHON

KILLS = int(os.environ.get("OPSIGHT_KILLS", "40"))
AT_A_TIME = 50
# Children that are forked with PyTorch in them and open a recording of their own with their first op.
TORCH = """
import mmap, os, random, signal, sys, time
import torch
torch.set_num_threads(1)
count = int(sys.argv[2])
with open(sys.argv[1], "w+b") as file:
    file.truncate(16 * count)
    told = memoryview(mmap.mmap(file.fileno(), 16 * count)).cast("q")  # each number is one store
x = torch.zeros(2)
x.relu()
for place in range(count):
    child = os.fork()
    if child == 0:
        ended = 0
        while True:
            x.relu_()
            ended += 1
            told[2 * place + 1] = ended
    told[2 * place] = child
    time.sleep(random.random() * int(sys.argv[3]) / 1e6)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
sys.exit(9)
"""


class Kills(Nvtx):
    PATIENCE = 600  # many programs one after the other, also on a busy machine

    def check(self, query, *command, options=()):
        """Kills of two kinds of recordings: such that keep all, and such that keep the newest."""
        late = killed = 0
        spread = 12_000  # us that a process has before it is killed, at most
        # On a busy machine the first ones may all die before they record: then some more, that live longer.
        while killed < KILLS // 4 or (late == 0 and killed < 4 * KILLS):
            count = min(AT_A_TIME, max(KILLS // 4 - killed, 1))
            killed += count
            self.profile.unlink(missing_ok=True)
            done = self.run_profile(*command, self.dir / "told", str(count), str(spread), options=options)
            self.assertEqual(done.returncode, 9, done.stderr)
            told = list(struct.iter_unpack("=qq", (self.dir / "told").read_bytes()))
            self.assertEqual(len(told), count)
            recording = sum(ended > 0 for _, ended in told)
            found, diagnostics = {}, {}
            if recording or self.profile.exists():  # else all died before they recorded
                found = {row["pid"]: row["n"] for row in self.sql(query)}
                diagnostics = self.diagnostics()
            lost = diagnostics.get("lost_records", 0)
            self.assertEqual({"bad_event", "truncated_input", "bad_time"} & set(diagnostics), set(), done.stderr)
            late += recording
            if recording < count // 4:
                spread = min(2 * spread, 1_000_000)
            if lost == 0:
                for pid, ended in told:
                    self.assertIn(found.get(pid, 0) - ended, (0, 1), f"of {pid}, which told {ended}")
            else:
                self.assertGreaterEqual(sum(found.values()) + lost, sum(ended for _, ended in told))
                self.assertLessEqual(sum(found.get(pid, 0) for pid, _ in told) + lost,
                                     sum(ended + 2 for _, ended in told))
        print(f"{killed} processes killed, {late} of them while they recorded", file=sys.stderr)
        self.assertGreater(late, 0)

    def nvtx(self, *options):
        self.check("SELECT pid, count(*) AS n FROM nvtx_ranges WHERE NOT unfinished GROUP BY pid",
                   BIN / "nvtx_odd_own", "killed", options=("--nvtx", *options))

    def test_nvtx(self):
        self.nvtx("--buffer-mb", "8")

    def test_nvtx_where_the_newest_are_kept(self):
        self.nvtx("--buffer-mb", "1", "--keep-last")

    def torch(self, *options):
        script = self.dir / "script.py"
        script.write_text(TORCH, encoding="utf-8")
        self.check("SELECT pid, count(*) AS n FROM ops WHERE name = 'aten::relu_' GROUP BY pid",
                   pathlib.Path(PYTHON), script, options=("--pytorch", "--no-memory", *options))

    @unittest.skipIf(LACKS, LACKS)
    def test_pytorch(self):
        self.torch("--buffer-mb", "8")

    @unittest.skipIf(LACKS, LACKS)
    def test_pytorch_where_the_newest_are_kept(self):
        self.torch("--buffer-mb", "1", "--keep-last")


if __name__ == "__main__":
    unittest.main()
