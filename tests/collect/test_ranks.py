"""opsight profile on jobs of four ranks over gloo (examples/train_ranks.py): every collective is recorded with its group,
size and type, as the program made it.

Needs a Python with torch (OPSIGHT_PYTHON, else /usr/bin/python3); says so and passes where there is none.
"""
import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

from test_profile import LACKS, OPSIGHT, PYTHON

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "train_ranks.py"
STEPS, SLOW, SLOW_MS = 5, 2, 80
ALL = "[0, 1, 2, 3]"
WEIGHTS = 64 * 64 * 3 + 64 * 3  # of the network of "ddp"
# Of each rank: collective, ranks of its group, type, elements in and out, how often.
EXPECTED = {
    "ddp": {("allreduce", ALL, "Float", WEIGHTS, WEIGHTS): STEPS},
    "sharded": {("allgather", ALL, "Float", 1024, 4096): 3 * STEPS, ("reduce", ALL, "Float", 1024, 1024): 12 * STEPS},
    "pipeline": {},
}
COLLECTIVES = """
    SELECT o.rank, v.name, v.group_ranks, v.dtype, v.in_elements, v.out_elements, v.group_size, v.group_name, count(*) AS n
    FROM ops o JOIN raw.op_extras e ON e.id = o.id JOIN raw.collectives v ON v.id = e.collective GROUP BY ALL"""


def clean_environment():
    return {key: value for key, value in os.environ.items() if not key.startswith(("RANK", "WORLD", "SLURM", "PMI", "OMPI"))}


def ask(profile, query):
    done = subprocess.run([OPSIGHT, "sql", profile, query, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@unittest.skipIf(LACKS, LACKS)
class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="opsight_ranks_")
        self.addCleanup(self.folder.cleanup)
        self.profile = pathlib.Path(self.folder.name) / "run.opsight"

    def record(self, kind):
        program = [PYTHON, EXAMPLE, kind, "--steps", str(STEPS), "--slow-rank", str(SLOW), "--slow-ms",
                   str(SLOW_MS)]
        done = subprocess.run([OPSIGHT, "profile", "-o", self.profile, "--", *program], capture_output=True, text=True,
                              timeout=300, env=clean_environment())
        self.assertEqual(done.returncode, 0, done.stderr)

    def counts(self):
        """By rank: how often it made which collective."""
        found = collections.defaultdict(dict)
        for row in ask(self.profile, COLLECTIVES):
            key = (row["name"], row["group_ranks"], row["dtype"], row["in_elements"], row["out_elements"])
            found[row["rank"]][key] = row["n"]
            self.assertEqual(row["group_size"], len(json.loads(row["group_ranks"])), row)
            self.assertEqual(row["group_name"], "0", row)
        return found

    def report(self, name):
        done = subprocess.run([OPSIGHT, "report", self.profile, "--report", name, "--format", "json", "--all-iterations"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)[name]

    def check_matching(self, collective, count, size):
        """All calls of a collective are matched on all members, and the others wait longest for the slow rank."""
        calls = [row for row in self.report("collective_calls") if row["collective"] == collective]
        self.assertEqual(len(calls), count, calls)
        for row in calls:
            self.assertEqual((row["state"], row["members"], row["ranks"]), ("matched", size, size), row)
            self.assertGreater(row["bytes"], 0, row)
        worst = self.report("stragglers")[0]
        self.assertEqual(worst["rank"], SLOW, worst)
        self.assertGreater(worst["caused_ns"], 1e6 * SLOW_MS, worst)

    def ranges(self, name):
        """By rank: in how many ranges gloo carried out collectives of this name."""
        rows = ask(self.profile, f"SELECT rank, count(*) AS n FROM annotations WHERE name = 'gloo:{name}' GROUP BY 1")
        return {row["rank"]: row["n"] for row in rows}

    def test_ranks_and_groups_are_recorded(self):
        self.record("ddp")
        ranks = ask(self.profile, "SELECT number, number_known, world_size, backend, host FROM raw.ranks ORDER BY 1")
        self.assertEqual([row["number"] for row in ranks], [0, 1, 2, 3])
        for row in ranks:
            self.assertTrue(row["number_known"] and row["host"], row)
            self.assertEqual((row["world_size"], row["backend"]), (4, "gloo"), row)
        for rank, found in self.counts().items():
            for key, count in EXPECTED["ddp"].items():
                self.assertEqual(found.get(key), count, (rank, found))
        self.assertEqual(self.ranges("all_reduce"), dict.fromkeys(range(4), STEPS))
        self.check_matching("allreduce", STEPS, 4)
        # What holds for one rank only is no fact of the profile.
        info = json.loads(subprocess.run([OPSIGHT, "info", self.profile, "--json"], capture_output=True, text=True,
                                         check=True).stdout)
        self.assertNotIn("local_rank", json.dumps(info))
        self.assertNotIn("process_group", json.dumps(info))

    def test_gathers_and_reductions_of_shards_have_their_sizes(self):
        self.record("sharded")
        found = self.counts()
        self.assertEqual(sorted(found), [0, 1, 2, 3])
        for rank, kinds in found.items():
            for key, count in EXPECTED["sharded"].items():
                self.assertEqual(kinds.get(key), count, (rank, kinds))
        self.assertEqual(self.ranges("all_gather"), dict.fromkeys(range(4), 3 * STEPS))
        self.assertEqual(self.ranges("reduce"), dict.fromkeys(range(4), 12 * STEPS))
        self.check_matching("allgather", 3 * STEPS, 4)

    def test_a_send_and_its_receive_are_of_one_pair(self):
        self.record("pipeline")
        found = self.counts()
        for stage in range(3):
            for sender, receiver in ((stage, stage + 1), (stage + 1, stage)):
                pair = (f"[{sender}, {receiver}]", "Float", 2048, 2048)
                self.assertEqual(found[sender].get(("send", *pair)), 4 * STEPS, found)
                self.assertEqual(found[receiver].get(("recv", *pair)), 4 * STEPS, found)
        sends = [row for row in self.report("collective_calls") if row["ranks"] == 2]
        self.assertEqual(len(sends), 6 * 4 * STEPS)
        for row in sends:
            self.assertEqual((row["state"], row["members"]), ("matched", 2), row)
        self.assertEqual(self.report("stragglers")[0]["rank"], SLOW, self.report("stragglers"))

    def test_a_command_on_each_rank_leaves_recordings_that_one_import_joins(self):
        into = pathlib.Path(self.folder.name) / "all"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        told = dict(clean_environment(), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE="4")
        program = [OPSIGHT, "profile", "--into", into, "--", PYTHON, EXAMPLE, "ddp", "--steps", str(STEPS)]
        ranks = [subprocess.Popen(program, env=dict(told, RANK=str(rank)), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True) for rank in range(4)]
        for rank in ranks:
            errors = rank.communicate(timeout=300)[1]
            self.assertEqual(rank.returncode, 0, errors)
            self.assertIn(f"opsight import {into} -o run.opsight", errors)
        subprocess.run([OPSIGHT, "import", "-q", into, "-o", self.profile], check=True)
        found = self.counts()
        self.assertEqual(sorted(found), [0, 1, 2, 3])
        for kinds in found.values():
            for key, count in EXPECTED["ddp"].items():
                self.assertEqual(kinds.get(key), count, found)

    def test_into_a_folder_and_an_output_are_two_things(self):
        done = subprocess.run([OPSIGHT, "profile", "--into", self.folder.name, "-o", self.profile, "--", "true"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)


if LACKS:
    print(f"SKIPPED, LOUDLY: {LACKS}", file=sys.stderr)
if __name__ == "__main__":
    unittest.main()
