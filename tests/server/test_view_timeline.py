#!/usr/bin/env python3
"""The timeline of `opsight view` against plain scans of the profile's own tables, on real traces; its two forms of a
window; and what it refuses."""

import bisect
import json
import os
import random
import struct
import unittest

import opsight_cli
import tiny_trace
from view_server import Server

CORPUS = opsight_cli.shared_folder("corpus", "kineto")
TRACES = ["hta/trace_filter__sampled_rank-0.json.gz", "hta/ns_resolution_trace__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
          "tracelens/inference__sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode.json.gz",
          "switch-transformers/trace_early.json"]
ROUNDING_NS = 1000
PARTS = 8  # of the ids of tracks: tracks.id * PARTS + part
# Tables of each part of a track, as the rows of the timeline are made.
TABLES = {0: ("ops", "module_calls", "api_calls", "other_spans WHERE kind <> 10"), 1: ("annotations",),
          2: ("python_frames",), 3: ("other_spans WHERE kind = 10",), 4: ("device_spans WHERE kind <> 4",),
          5: ("device_spans WHERE kind = 4",)}


def spans_of(profile, track):
    """(begin, end) of all spans of a row, by begin."""
    row, part = divmod(track["id"], PARTS)
    found = []
    for table in TABLES[part]:
        name, _, condition = table.partition(" WHERE ")
        found += [(span.begin_ns, span.begin_ns + span.dur_ns) for span in profile.rows(
            f"SELECT begin_ns, dur_ns FROM raw.{name} WHERE track = {row} AND {condition or 'true'}")]
    return sorted(found)


def union(spans, begin, end):
    covered, busy = begin, 0
    for first, last in spans:
        first, last = max(first, covered), min(last, end)
        if last > first:
            busy += last - first
            covered = last
    return busy


def binary(data):
    """A window in columns of bytes, as the JSON one."""
    magic, length = struct.unpack_from("<4sI", data)
    assert magic == b"OTL1" and length % 8 == 0
    window = json.loads(data[8:8 + length])
    rows = sum(track["entries"] for track in window["tracks"])
    at, columns = 8 + length, {}
    for name, code, width in (("begin", "d", 8), ("dur", "d", 8), ("busy", "d", 8), ("name", "I", 4), ("span", "I", 4),
                              ("count", "I", 4), ("depth", "H", 2), ("kind", "B", 1)):
        columns[name] = struct.unpack_from(f"<{rows}{code}", data, at)
        at += (rows * width + 7) // 8 * 8
    assert at == len(data)
    first = 0
    for track in window["tracks"]:
        last = first + track.pop("entries")
        track["columns"] = {name: list(values[first:last]) for name, values in columns.items()}
        first = last
    return window


class RealTracesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not CORPUS:
            opsight_cli.say_skipped("the corpus of traces is not there (OPSIGHT_CORPUS)")
            raise unittest.SkipTest("no corpus")
        cls.profiles = [opsight_cli.Profile(os.path.join(CORPUS, "kineto", trace)) for trace in TRACES]
        cls.server = Server(*(profile.path for profile in cls.profiles))
        cls.known = []
        for number, profile in enumerate(cls.profiles):
            info = cls.server.json(f"/profiles/{number}/timeline/tracks")
            rows = [(track, spans_of(profile, track)) for track in info["tracks"]
                    if track["kind"] not in ("iteration", "counter")]
            cls.known.append((number, profile, info, rows))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def each(self):
        """Number, profile, answer and rows of each trace, the rows with their spans."""
        return self.known

    def test_every_span_is_in_its_row(self):
        for number, profile, info, rows in self.each():
            for track, spans in rows:
                self.assertEqual(track["spans"], len(spans), track)
            counts = profile.info()["counts"]
            devices = sum(track["spans"] for track, _ in rows if track["kind"] == "stream")
            self.assertGreaterEqual(devices, counts["kernels"] + counts["memcpys"] + counts["memsets"])

    def test_windows_hold_what_a_scan_holds(self):
        chance = random.Random(4)
        for number, _, info, rows in self.each():
            whole = info["end_ns"] - info["begin_ns"]
            for question in range(12):
                length = max(int(whole * 10 ** chance.uniform(-5, 0)), 10)
                begin = info["begin_ns"] + int((whole - length) * chance.random())
                end, width = begin + length, chance.choice((1, 37, 512, 1500))
                ids = ",".join(str(track["id"]) for track, _ in rows)
                window = self.server.json(f"/profiles/{number}/timeline/window", tracks=ids, begin=begin, end=end,
                                          width=width)
                self.assertTrue(window["complete"])
                for (track, spans), answer in zip(rows, window["tracks"]):
                    self.check_track(track, spans, answer, begin, end, window["pixel_ns"])

    def check_track(self, track, spans, answer, begin, end, pixel):
        self.assertEqual(answer["id"], track["id"])
        columns = answer["columns"]
        shown = [span for span in spans if span[0] < end and (span[0] >= begin or span[1] > begin)]
        # What ends within the rounding of the window's begin may have been cut off.
        edge = sum(1 for span in shown if span[0] < begin and span[1] <= begin + ROUNDING_NS)
        self.assertLessEqual(len(shown) - sum(columns["count"]), edge)
        self.assertGreaterEqual(len(shown), sum(columns["count"]))
        places = set()
        begins = [span[0] for span in spans]
        for i, first in enumerate(columns["begin"]):
            if first < 0:
                self.assertEqual(columns["count"][i], 1)
            place = columns["depth"][i], -1 if first < 0 else first // pixel
            self.assertNotIn(place, places)
            places.add(place)
            self.assertLessEqual(columns["busy"][i], columns["dur"][i])
            self.assertIn(first + begin, begins[bisect.bisect_left(begins, first + begin):][:1])

    def test_sums_are_those_of_a_scan(self):
        chance = random.Random(5)
        for number, _, info, rows in self.each():
            whole = info["end_ns"] - info["begin_ns"]
            for question in range(5):
                begin = info["begin_ns"] + int(whole * chance.uniform(0, 0.5))
                end = begin + max(int(whole * chance.uniform(0, 0.5)), 10)
                ids = ",".join(str(track["id"]) for track, _ in rows)
                sums = self.server.json(f"/profiles/{number}/timeline/sums", tracks=ids, begin=begin, end=end)
                for (track, spans), answer in zip(rows, sums["tracks"]):
                    self.assertEqual(answer["busy_ns"], union(spans, begin, end), (TRACES[number], track, begin, end))
                total = sum(sum_["count"] for sum_ in sums["names"])
                self.assertEqual(total, sum(answer["spans"] for answer in sums["tracks"]))

    def test_search_counts_what_sql_counts(self):
        for number, profile, _, _ in self.each():
            for text in ("aten::", "kernel", "Memcpy"):
                like = f"ILIKE '%{text}%'"
                expected = sum(profile.value(f"SELECT count(*) FROM {table} WHERE name {like}") for table in (
                    "ops", "api_calls", "annotations", "python_frames", "module_calls", "other_spans", "kernels",
                    "memcpys", "memsets", "device_other"))
                found = self.server.json(f"/profiles/{number}/timeline/search", q=text)
                self.assertEqual(found["matches"], expected, (TRACES[number], text))


class FormsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = opsight_cli.Profile(tiny_trace.write(opsight_cli.temporary_folder(), steps=40))
        cls.server = Server(cls.profile.path)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_bytes_are_the_json(self):
        for begin, end, width in ((0, 4_000_000, 100), (50_000, 90_000, 1500), (10**12, 2 * 10**12, 5)):
            asked = {"begin": begin, "end": end, "width": width}
            text = "&".join(f"{key}={value}" for key, value in asked.items())
            status, headers, data = self.server.ask("/api/v1/profiles/0/timeline/window?format=binary&" + text)
            self.assertEqual((status, headers["Content-Type"]), (200, "application/octet-stream"))
            self.assertEqual(binary(data), self.server.json("/profiles/0/timeline/window", **asked))

    def test_refusals(self):
        asked = {"begin": 0, "end": 100, "width": 10}
        for name, wrong, status in (
                ("window", {**asked, "end": 0}, 400), ("window", {**asked, "width": 0}, 400),
                ("window", {**asked, "width": 10**9}, 400), ("window", {**asked, "begin": "x"}, 400),
                ("window", {**asked, "begin": -2**63, "end": 2**63 - 1}, 400), ("window", {"begin": 0}, 400),
                ("window", {**asked, "tracks": "1,"}, 400), ("window", {**asked, "tracks": "1;2"}, 400),
                ("window", {**asked, "tracks": "99999"}, 404), ("window", {**asked, "format": "xml"}, 400),
                ("window", {**asked, "other": 1}, 400), ("event", {"track": 0, "span": 999999}, 404),
                ("event", {"track": 0, "span": -1}, 400), ("search", {"q": ""}, 400),
                ("search", {"q": "x" * 1000}, 400), ("search", {"q": "a", "direction": "up"}, 400),
                ("sums", {"begin": 5, "end": 5}, 400), ("counters", {**asked, "tracks": "7777"}, 404)):
            self.assertEqual(self.server.error("/profiles/0/timeline/" + name, **wrong)[0], status, (name, wrong))
        self.assertEqual(self.server.error("/profiles/7/timeline/tracks")[0], 404)


if __name__ == "__main__":
    unittest.main()
