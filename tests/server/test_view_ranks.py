#!/usr/bin/env python3
"""One rank of several, chosen by the parameter `rank`: every answer of `opsight view` is that of `--rank`, what is about all
ranks says so, and a rank that is not there is refused."""

import json
import os
import threading
import unittest

import opsight_cli
import tiny_trace
from view_server import Server

RANKS = 3
# Reports that are tables of the page under the same name.
REPORTS = ("detailed", "kernel", "op_type", "group_op", "kernel_name")
OF_THE_JOB = ("collectives", "collective_calls", "groups", "straggler_hosts", "rank_layers", "rank_path")
OF_EACH_RANK = ("ranks", "rank_iterations", "clocks")


def job(folder):
    """A trace for each rank; each runs relu once more than the rank before, and an op of its own name."""
    for rank in range(RANKS):
        trace = tiny_trace.trace(steps=4)
        trace["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": RANKS}
        for step in range(4):
            for more in range(rank):
                trace["traceEvents"].append(tiny_trace.span("cpu_op", "aten::relu", 1, 100.0 * step + 50 + 5 * more, 4))
            trace["traceEvents"].append(tiny_trace.span("cpu_op", f"aten::only_{rank}", 1, 100.0 * step + 80, 5))
        with open(os.path.join(folder, f"rank{rank}.json"), "w", encoding="utf-8") as file:
            json.dump(trace, file)
    return folder


class RanksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = os.path.join(opsight_cli.temporary_folder(), "job")
        os.mkdir(folder)
        cls.profile = opsight_cli.Profile(job(folder))
        cls.server = Server(cls.profile.path)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_tables_are_those_of_the_report(self):
        every = {name: self.server.table(name, page_size=1000)[0] for name in REPORTS}
        for rank in range(RANKS):
            for name in REPORTS:
                wanted = self.profile.report(name, "--rank", str(rank))
                rows, answer = self.server.table(name, rank=rank, page_size=1000)
                self.assertEqual(rows, wanted[name] if isinstance(wanted[name], list) else wanted[name][name], (name, rank))
                self.assertEqual(answer["range"], wanted["range"], (name, rank))
                self.assertNotEqual(rows, every[name], (name, rank))

    def test_every_answer_is_of_the_rank(self):
        for rank in range(RANKS):
            summary = self.server.json("/profiles/0/summary", rank=rank)
            self.assertEqual(summary["summary"], self.profile.report("summary", "--rank", str(rank))["summary"])
            self.assertIn(f"of rank {rank} alone, one of {RANKS}", summary["range"]["notes"])
            iterations = self.server.json("/profiles/0/iterations", rank=rank)
            self.assertEqual({each["rank"] for each in iterations["iterations"]}, {rank})
            self.assertEqual({each["rank"] for each in iterations["wall"]}, {rank})
            self.assertEqual({each["rank"] for each in self.server.json("/profiles/0/gpus", rank=rank)["devices"]}, {rank})
            self.assertEqual(set(self.server.json("/profiles/0/critical_path", rank=rank)["rank"]), {rank})
            for path in ("layers", "memory", "communication", "model", "findings"):
                answer, whole = (self.server.json(f"/profiles/0/{path}", **words) for words in ({"rank": rank}, {}))
                self.assertEqual(answer.keys(), whole.keys())
            layers = self.server.json("/profiles/0/layers", rank=rank)["layers"]
            self.assertEqual(layers[0]["calls"], sum(row["calls"] for row in self.server.table("detailed", rank=rank)[0]))
            findings = json.loads(opsight_cli.run("advise", self.profile.path, "--json", "--rank", str(rank)).stdout)["findings"]
            answer = self.server.json("/profiles/0/findings", rank=rank)["findings"]
            self.assertEqual([(each["rule"], each["share_pct"]) for each in answer],
                             [(each["rule"], each["share_pct"]) for each in findings])
            op = next(row for row in self.server.table("detailed", rank=rank)[0] if row["op_name"] == f"aten::only_{rank}")
            self.assertEqual(self.server.json("/profiles/0/first", op=op["op_id"], rank=rank)["event"]["name"], op["op_name"])
            self.assertIsNone(self.server.json("/profiles/0/first", op=op["op_id"], rank=(rank + 1) % RANKS)["event"])

    def test_beside_a_range_and_a_named_one(self):
        wanted = self.profile.report("detailed", "--rank", "2", "--iter-start", "1", "--iter-stop", "2")["detailed"]
        self.assertEqual(self.server.table("detailed", rank=2, iter_start=1, iter_stop=2)[0], wanted)
        _, _, body = self.server.ask("/api/v1/profiles/0/aggregations", method="POST", body=json.dumps({"iter_start": 1, "iter_stop": 2}),
                                     headers={"Content-Type": "application/json"})
        named = json.loads(body)["id"]
        for rank in (2, 1):  # one after the other: answers are kept
            wanted = self.profile.report("detailed", "--rank", str(rank), "--iter-start", "1", "--iter-stop", "2")["detailed"]
            self.assertEqual(self.server.table("detailed", rank=rank, aggregation=named)[0], wanted)

    def test_what_is_about_all_ranks_says_so(self):
        for name in OF_THE_JOB:
            status, error = self.server.error(f"/profiles/0/tables/{name}", rank=1)
            self.assertEqual((status, error["code"]), (400, "of_all_ranks"), name)
            self.assertIn("about all ranks together", error["message"])
        for name in OF_EACH_RANK:
            self.assertEqual([row["rank"] for row in self.server.table(name, rank=1)[0]],
                             [row["rank"] for row in self.server.table(name)[0] if row["rank"] == 1], name)
        self.assertEqual([row["rank"] for row in self.server.table("ranks", rank=1)[0]], [1])

    def test_a_rank_that_is_not_there_is_refused(self):
        for path in ("summary", "iterations", "findings", "layers", "gpus", "memory", "communication", "critical_path", "model",
                     "tables/detailed", "tables/ranks", "timeline/tracks"):
            status, error = self.server.error(f"/profiles/0/{path}", rank=99)
            self.assertEqual((status, error["code"]), (400, "bad_request"), path)
            self.assertIn("no rank 99", error["message"])
        self.assertIn("0 to 2", self.server.error("/profiles/0/summary", rank=99)[1]["remedy"])
        for bad in ("x", "1.5", "99999999999999999999"):
            self.assertEqual(self.server.error("/profiles/0/summary", rank=bad)[0], 400)
        self.assertEqual(self.server.error("/profiles/0/tables/ranks", rank=-1)[0], 400)
        self.assertEqual(self.server.error("/profiles/0/tables/groups", rank=99)[1]["code"], "of_all_ranks")

    def test_timeline_has_its_tracks_alone(self):
        base = "/profiles/0/timeline"
        every = self.server.json(f"{base}/tracks")
        for rank in range(RANKS):
            found = self.server.json(f"{base}/tracks", rank=rank)
            self.assertEqual(found["tracks"], [track for track in every["tracks"] if track["rank"] == rank])
            self.assertGreater(len(found["tracks"]), 1)
            ids = [track["id"] for track in found["tracks"]]
            self.assertEqual((found["begin_ns"], found["end_ns"]), (every["begin_ns"], every["end_ns"]))
            searched = self.server.json(f"{base}/search", q="aten::linear", rank=rank)
            self.assertIn(searched["match"]["track"], ids)
            self.assertEqual(searched["matches"], self.server.json(f"{base}/search", q="aten::linear")["matches"] // RANKS)
            self.assertEqual(self.server.json(f"{base}/search", q=f"only_{(rank + 1) % RANKS}", rank=rank)["matches"], 0)
            stretch = {"begin": every["begin_ns"], "end": every["end_ns"]}
            sums = self.server.json(f"{base}/sums", rank=rank, **stretch)
            self.assertEqual(sums, self.server.json(f"{base}/sums", tracks=",".join(map(str, ids)), **stretch))
            other = next(track["id"] for track in every["tracks"] if track["rank"] != rank)
            self.assertEqual(self.server.error(f"{base}/window", rank=rank, tracks=other, width=100, **stretch)[0], 400)

    def test_compared_with_the_same_rank(self):
        answers = [self.server.json("/profiles/0/compare", **{"with": "0"}, **words) for words in ({}, {"rank": 2})]
        names = [{row[0] for table in answer["tables"] if table["name"] == "ops" for row in table["rows"]} for answer in answers]
        self.assertEqual(self.server.error("/profiles/0/compare", **{"with": "0", "rank": 9})[0], 400)
        self.assertTrue(all(answer["tables"] for answer in answers), names)
        self.assertEqual(self.server.error("/trend", rank="x")[0], 400)

    def test_many_ask_at_once(self):
        """The first questions about a rank come together: sessions make what they share at the same time."""
        wanted = {rank: self.profile.report("detailed", "--rank", str(rank))["detailed"] for rank in (1, 2)}
        for _ in range(5):
            with Server(self.profile.path) as server:
                problems, barrier = [], threading.Barrier(8)

                def ask(number, server=server, problems=problems, barrier=barrier):
                    rank = 1 + number % 2
                    barrier.wait()
                    try:
                        if server.table("detailed", rank=rank, page_size=50 + number)[0] != wanted[rank]:
                            problems.append(f"other rows of rank {rank}")
                    except AssertionError as error:
                        problems.append(str(error))

                threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.assertEqual(problems, [])


if __name__ == "__main__":
    unittest.main()
