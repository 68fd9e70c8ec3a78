"""opsight export of stacks: sums and calls of what others read are those of the profile's tables."""

import collections
import gzip
import json
import os
import unittest

import odd_trace
import opsight_cli
import proto_text
import tiny_trace

DEVICE = "SELECT name, dur_ns FROM kernels UNION ALL SELECT name, dur_ns FROM memcpys UNION ALL SELECT name, dur_ns FROM memsets"


def export(profile, form, *options):
    path = os.path.join(opsight_cli.temporary_folder(), "stacks." + form)
    opsight_cli.run("export", profile.path, "--format", form, "-o", path, "--force", *options)
    return path


def leaves(profile):
    """Time by the innermost frame: of ops what is their own, of device work its duration."""
    cpu, device = collections.Counter(), collections.Counter()
    for row in profile.rows("SELECT name, sum(self_ns)::BIGINT AS ns FROM ops GROUP BY name"):
        cpu[row.name or "(no name)"] += row.ns
    for row in profile.rows(f"SELECT name, sum(dur_ns)::BIGINT AS ns FROM ({DEVICE}) GROUP BY name"):
        device[row.name or "(no name)"] += row.ns
    return +cpu, +device


class Stacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = opsight_cli.temporary_folder()
        cls.tiny = opsight_cli.Profile(tiny_trace.write(folder))
        cls.odd = opsight_cli.Profile(odd_trace.write(folder))

    def test_folded_lines_add_up(self):
        sums = {"CPU": collections.Counter(), "Device": collections.Counter()}
        with open(export(self.tiny, "folded"), encoding="utf-8") as file:
            for line in file:
                stack, _, ns = line.rstrip("\n").rpartition(" ")
                root, *frames = stack.split(";")
                sums[root][frames[-1]] += int(ns)
        self.assertEqual((sums["CPU"], sums["Device"]), leaves(self.tiny))
        text = opsight_cli.run("export", self.tiny.path, "--format", "folded", "-o", "-").stdout
        self.assertIn(";aten::linear;volta_fp16_s884gemm", text, "kernels stand below their op")

    def test_speedscope_has_a_weight_for_each_stack(self):
        for profile in (self.tiny, self.odd):
            with open(export(profile, "speedscope"), encoding="utf-8") as file:
                told = json.load(file)
            self.assertEqual(told["$schema"], "https://www.speedscope.app/file-format-schema.json")
            names = [frame["name"] for frame in told["shared"]["frames"]]
            self.assertEqual(len(names), len(set(names)))
            sums = {}
            for each in told["profiles"]:
                self.assertEqual((each["type"], each["unit"]), ("sampled", "nanoseconds"))
                self.assertEqual(len(each["samples"]), len(each["weights"]))
                self.assertEqual(sum(each["weights"]), each["endValue"] - each["startValue"])
                sums[each["name"]] = collections.Counter()
                for stack, weight in zip(each["samples"], each["weights"]):
                    sums[each["name"]][names[stack[-1]]] += weight
            cpu, device = leaves(profile)
            self.assertEqual(sums["CPU time of ops"], cpu)
            self.assertEqual(sums.get("Device time", collections.Counter()), device)

    def test_pprof_is_read_by_its_published_schema(self):
        path = export(self.tiny, "pprof")
        with gzip.open(path) as packed, open(path + ".raw", "wb") as raw:
            raw.write(packed.read())
        told = proto_text.decode(path + ".raw", "pprof.proto", "perftools.profiles.Profile")
        texts = told["string_table"]
        self.assertEqual(texts[0], "")
        self.assertEqual([texts[int(each["type"][0])] for each in told["sample_type"]],
                         ["op_calls", "cpu_time_of_ops", "device_spans", "device_time"])
        self.assertEqual(texts[int(told["default_sample_type"][0])], "device_time")
        names = {each["id"][0]: texts[int(each["name"][0])] for each in told["function"]}
        of_location = {each["id"][0]: names[each["line"][0]["function_id"][0]] for each in told["location"]}
        cpu, device, calls, spans = (collections.Counter() for _ in range(4))
        for sample in told["sample"]:
            leaf = of_location[sample["location_id"][0]]
            for counter, value in zip((calls, cpu, spans, device), sample["value"]):
                counter[leaf] += int(value)
        self.assertEqual((+cpu, +device), leaves(self.tiny))
        self.assertEqual(sum(calls.values()), self.tiny.value("SELECT count(*) FROM ops"))
        self.assertEqual(sum(spans.values()), self.tiny.value(f"SELECT count(*) FROM ({DEVICE})"))

    def test_a_range_of_iterations(self):
        text = opsight_cli.run("export", self.tiny.path, "--format", "folded", "-o", "-", "--iter-start", "1",
                               "--iter-stop", "1").stdout
        wanted = self.tiny.value("SELECT sum(self_ns)::BIGINT FROM ops WHERE iteration = 1")
        self.assertEqual(sum(int(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith("CPU;")), wanted)


if __name__ == "__main__":
    unittest.main()
