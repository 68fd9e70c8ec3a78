#!/usr/bin/env python3
"""Memory: snapshots of PyTorch's allocator as a user opens them, and what is held at the peak beside a plain reading of real
traces."""

import collections
import gzip
import json
import os
import shutil
import unittest

import opsight_cli

SEEDS = os.path.join(os.path.dirname(__file__), "..", "fuzz", "seeds")
CORPUS = opsight_cli.shared_folder("corpus", "kineto")
MIB = 1 << 20
# With addresses and totals, of GPUs of two makers and of a CPU.
TRACES = ("tracelens/h100__facebook_timesformer-base-finetuned-k400__1016002.json.gz",
          "tracelens/mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
          "tracelens/mi300__Falconsai_nsfw_image_detection__1016002.json.gz",
          "switch-transformers/trace_early.json", "dtu-mlops/trace_windows_cpu.json")


class Snapshot(unittest.TestCase):
    def setUp(self):
        trace = os.path.join(opsight_cli.temporary_folder(), "oom.pickle")
        shutil.copy(os.path.join(SEEDS, "memory_snapshot.pickle"), trace)
        self.profile = opsight_cli.Profile(trace)

    def test_says_who_holds_what_and_that_memory_ended(self):
        report = self.profile.report("memory_peak")
        rows = {row["holder_name"]: row["bytes"] for row in report["memory_peak"]}
        self.assertEqual(rows, {"forward (/opt/net/model.py:17)": 24 * MIB, "__init__ (/opt/net/model.py:9)": 4 * MIB,
                                "train_step (/opt/net/train.py:21)": 2 * MIB, "not told": MIB})
        text = opsight_cli.run("report", self.profile.path, "--report", "memory_peak").stdout
        self.assertIn("out of memory: 80.0 MiB asked for, 3.0 MiB free on the device", text)
        found = json.loads(opsight_cli.run("advise", self.profile.path, "--json", "--rule", "memory_peak").stdout)["findings"]
        self.assertEqual([each["kind"] for each in found], ["problem"])
        self.assertTrue(found[0]["title"].startswith("Out of memory: 80.0 MiB asked for"), found)
        self.assertIn("most of it of forward (/opt/net/model.py:17)", found[0]["title"])

    def test_tells_no_share_of_a_time_that_nobody_saw(self):
        summary = self.profile.report("summary")["summary"]
        self.assertEqual(summary["peak_memory"], [{"rank": 0, "device_type": "GPU", "device": 0, "allocated_bytes": 31 * MIB,
                                                   "reserved_bytes": 66 * MIB}])
        for share in ("cpu_pct", "host_pct", "idle_pct", "memory_pct", "gpu_utilization_pct"):
            self.assertIsNone(summary[share], share)


def held_at_the_peak(path):
    """By device type and device: the most that is allocated in the file, and what lives then of what it saw allocated."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        everything = json.load(file)["traceEvents"]
    events = [event for event in everything if event.get("name") == "[memory]"]
    worked = {event["args"]["device"] for event in everything if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")}
    found = {}
    by_place = collections.defaultdict(list)
    for event in sorted(events, key=lambda event: event["ts"]):
        args = event["args"]
        by_place[min(args["Device Type"], 1), args["Device Id"]].append((args["Total Allocated"], args["Addr"], args["Bytes"]))
    for place, changes in by_place.items():
        most, live, held = -1, {}, 0
        for total, address, size in changes:
            if size > 0:
                live[address] = size
            else:
                live.pop(address, None)
            if total > most:
                most, held = total, sum(live.values())
        if most > 0:
            found[place] = (most, held)
    # The allocator numbers devices as the process sees them, AMD's tracer as the machine does: one is that which worked.
    of_devices = [place for place in found if place[0] == 1]
    if len(of_devices) == 1 and len(worked) == 1:
        found[1, worked.pop()] = found.pop(of_devices[0])
    return found


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class RealTraces(unittest.TestCase):
    def test_the_peak_is_what_a_plain_reading_finds(self):
        for trace in TRACES:
            with self.subTest(trace=trace):
                path = os.path.join(CORPUS, "kineto", trace)
                wanted = held_at_the_peak(path)
                self.assertTrue(wanted)
                profile = opsight_cli.Profile(path)
                rows = profile.report("memory_peak", "--whole-run")["memory_peak"]
                totals, held = collections.Counter(), collections.Counter()
                for row in rows:
                    place = (0 if row["device_type"] == "CPU" else 1, -1 if row["device"] is None else row["device"])
                    totals[place] += row["bytes"]
                    if row["holder_name"] != "allocated before the recording":
                        held[place] += row["bytes"]
                self.assertEqual({place: (totals[place], held[place]) for place in totals}, wanted)


if __name__ == "__main__":
    unittest.main()
