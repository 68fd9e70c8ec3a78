"""The viewer with very many of something: profiles in a folder, tracks in a timeline, spans in a track."""

import json
import os
import shutil
import signal
import tempfile
import threading
import unittest

import opsight_cli
import tiny_trace
from view_server import Server

PROFILES = 1000
ASKED, MOST_MEMORY = 20, 600 << 20  # of which each would take some 60 MB if all stayed open


def most_memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


class ManyProfiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.addCleanup(shutil.rmtree, self.folder)
        first = os.path.join(self.folder, "p0.opsight")
        opsight_cli.run("import", tiny_trace.write(self.folder), "-o", first)
        for i in range(1, PROFILES):
            os.link(first, os.path.join(self.folder, f"p{i}.opsight"))

    def test_a_folder_is_listed_before_all_is_read_and_opened_in_little_memory(self):
        with Server(self.folder) as server:
            listed = server.json("/profiles")["profiles"]
            self.assertEqual({each["name"] for each in listed}, {f"p{i}" for i in range(PROFILES)})
            self.assertEqual({each["state"] for each in listed}, {"ok", "reading"})
            for i in range(0, PROFILES, PROFILES // ASKED):
                self.assertEqual(server.table("iterations", profile=i)[1]["rows_in_all"], 4)
            self.assertLess(most_memory(server.answering()), MOST_MEMORY)
            self.assertEqual(server.stop(signal.SIGTERM), 0)


class ManySpans(unittest.TestCase):
    """Each is opened, read and shown, and the viewer ends while it is still being read."""

    def profile(self, events):
        folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        self.addCleanup(shutil.rmtree, folder)
        trace = os.path.join(folder, "trace.json")
        with open(trace, "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": events}, file)
        path = os.path.join(folder, "many.opsight")
        opsight_cli.run("import", trace, "-o", path)
        return path

    def tracks(self, path):
        with Server(path) as server:
            return [each for each in server.json("/profiles/0/timeline/tracks")["tracks"] if each["kind"] == "thread"]

    def ends_while_read(self, path):
        server = Server(path)
        asking = threading.Thread(target=self.ask, args=(server,))
        asking.start()
        code = server.stop(signal.SIGTERM)
        self.assertEqual(code, 0, server.errors)
        asking.join()

    @staticmethod
    def ask(server):
        try:
            server.ask("/api/v1/profiles/0/timeline/tracks")
        except OSError:
            pass  # it may end before it answers

    def test_very_many_tracks(self):
        path = self.profile([tiny_trace.span("cpu_op", "aten::add", tid, tid, 1) for tid in range(1, 200_001)])
        self.assertEqual(sum(each["spans"] for each in self.tracks(path)), 200_000)
        self.ends_while_read(path)

    def test_it_ends_from_its_first_moment_on(self):
        path = self.profile([tiny_trace.span("cpu_op", "aten::add", 1, 1, 1)])
        for _ in range(30):
            self.ends_while_read(path)

    def test_one_huge_track_of_spans_that_overlap(self):
        spans = 1_000_000
        path = self.profile([tiny_trace.span("cpu_op", "aten::add", 1, i, spans) for i in range(spans)])
        self.assertEqual([each["spans"] for each in self.tracks(path)], [spans])
        self.ends_while_read(path)


if __name__ == "__main__":
    unittest.main()
