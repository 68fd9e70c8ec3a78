#!/usr/bin/env python3
"""CPU samples of folded stacks and pprof from outside, beside what a few lines of Python count in them."""

import collections
import gzip
import os
import unittest

import opsight_cli

FOLDED = """python3;main (train.py:10);train (train.py:20);forward (model.py:5) 120
python3;main (train.py:10);train (train.py:20);backward (model.py:9) 60
python3;main (train.py:10);load (data.py:3) 20
python3;main (train.py:10);train (train.py:20);train (train.py:20) 7
"""


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def pprof(stacks):
    """proto/profile.proto with the values samples and cpu, of stacks from the outermost in."""
    texts, places = [""], {}

    def text(wanted):
        if wanted not in texts:
            texts.append(wanted)
        return texts.index(wanted)

    def value_type(name, unit):
        return number(1, text(name)) + number(2, text(unit))

    out = message(1, value_type("samples", "count")) + message(1, value_type("cpu", "nanoseconds"))
    for frames, count in stacks:
        ids = [places.setdefault(frame, len(places) + 1) for frame in reversed(frames)]
        out += message(2, message(1, b"".join(map(varint, ids))) + message(2, varint(count) + varint(count * 10 ** 7)))
    for frame, place in places.items():
        out += message(4, number(1, place) + message(4, number(1, place)))
        out += message(5, number(1, place) + number(2, text(frame)))
    out += number(10, 2 * 10 ** 9) + message(11, value_type("cpu", "nanoseconds")) + number(12, 10 ** 7)
    return gzip.compress(out + b"".join(message(6, each.encode()) for each in texts))


def sums(stacks):
    """function -> (samples in which it ran itself, samples in which it was on the stack)"""
    own, below = collections.Counter(), collections.Counter()
    for frames, count in stacks:
        own[frames[-1]] += count
        for frame in set(frames):
            below[frame] += count
    return {frame: (own[frame], below[frame]) for frame in below}


class Stacks(unittest.TestCase):
    def setUp(self):
        self.stacks = [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in FOLDED.splitlines()]
        folder = opsight_cli.temporary_folder()
        self.paths = [os.path.join(folder, "run.folded"), os.path.join(folder, "cpu.pb.gz")]
        for path, content in zip(self.paths, (FOLDED.encode(), pprof(self.stacks)), strict=True):
            with open(path, "wb") as file:
                file.write(content)

    def test_samples_are_those_of_the_file(self):
        for path in self.paths:
            profile = opsight_cli.Profile(path)
            self.assertEqual(profile.value("SELECT count(*) FROM cpu_samples"), 207)
            report = profile.report("cpu_samples")["cpu_samples"]
            self.assertEqual({row["function"]: (row["self_samples"], row["samples"]) for row in report}, sums(self.stacks))

    def test_the_report_says_what_there_is_and_no_more(self):
        for path in self.paths:
            profile = opsight_cli.Profile(path)
            text = opsight_cli.run("report", profile.path).stdout
            self.assertIn("forward (model.py:5)", text)
            self.assertNotIn("Wall Clock Time", text)
            self.assertNotIn("nothing_recorded", text)
            self.assertNotRegex(text, r"Duration % +\d")

    def test_sums_of_time_are_no_samples(self):
        path = os.path.join(opsight_cli.temporary_folder(), "times.folded")
        with open(path, "w", encoding="utf-8") as file:
            file.write("main;f 463000000\n")
        done = opsight_cli.run("import", path, "-o", path + ".opsight", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("times or bytes", done.stderr)


if __name__ == "__main__":
    unittest.main()
