"""opsight export of timelines, read by others: Perfetto's by protoc, Chrome's by Python's json and by import."""

import collections
import json
import os
import tempfile
import unittest

import odd_trace
import opsight_cli
import proto_text
import tiny_trace

TABLES = ["ops", "api_calls", "annotations", "python_frames", "module_calls", "other_spans", "kernels", "memcpys", "memsets",
          "device_other"]


def spans(profile):
    """(name, begin, duration) of all that the profile has, each as often as it is there."""
    union = " UNION ALL ".join(f"SELECT name, begin_ns, dur_ns FROM {table}" for table in TABLES)
    return collections.Counter((row.name or "", row.begin_ns, row.dur_ns) for row in profile.rows(union))


def export(profile, form, *options):
    path = os.path.join(opsight_cli.temporary_folder(), "out." + form)
    opsight_cli.run("export", profile.path, "--format", form, "-o", path, "--force", *options)
    return path


class PerfettoTrace:
    """What a reader makes of the packets: slices of each track that nest, names by their numbers."""

    def __init__(self, path):
        packets = proto_text.decode(path, "perfetto.proto", "perfetto.protos.Trace")["packet"]
        self.tracks = {}
        names, keys, texts = {}, {}, {}
        events = []
        for packet in packets:
            for told in packet.get("track_descriptor", []):
                self.tracks[told["uuid"][0]] = told
            data = packet.get("interned_data", [{}])[0]
            for known, field, value in ((names, "event_names", "name"), (keys, "debug_annotation_names", "name"),
                                        (texts, "debug_annotation_string_values", "str")):
                for entry in data.get(field, []):
                    known[entry["iid"][0]] = entry[value][0]
            for event in packet.get("track_event", []):
                events.append((int(packet["timestamp"][0]), event))
        events.sort(key=lambda pair: pair[0])  # as Perfetto: packets of one time stay in their order
        self.slices, self.flows, self.samples = [], collections.defaultdict(list), []
        self.arguments = []
        open_slices = collections.defaultdict(list)
        for time, event in events:
            track = event["track_uuid"][0]
            kind = event["type"][0]
            if kind == "TYPE_COUNTER":
                self.samples.append((track, time, float(event["double_counter_value"][0])))
            elif kind == "TYPE_SLICE_BEGIN":
                name = names[event["name_iid"][0]]
                open_slices[track].append((name, time))
                for flow in event.get("flow_ids", []):
                    self.flows[flow].append(("from", name, time))
                for flow in event.get("terminating_flow_ids", []):
                    self.flows[flow].append(("to", name, time))
                told = {keys[each["name_iid"][0]]: texts[each["string_value_iid"][0]] if "string_value_iid" in each
                        else each.get("int_value", each.get("double_value"))[0]
                        for each in event.get("debug_annotations", [])}
                self.arguments.append((name, told))
            else:
                name, begin = open_slices[track].pop()
                self.slices.append((track, name, begin, time - begin))
        self.unclosed = sum(map(len, open_slices.values()))


class Timelines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = opsight_cli.temporary_folder()
        cls.tiny = opsight_cli.Profile(tiny_trace.write(folder))
        cls.odd = opsight_cli.Profile(odd_trace.write(folder))

    def test_perfetto_has_every_span(self):
        for profile in (self.tiny, self.odd):
            trace = PerfettoTrace(export(profile, "perfetto"))
            self.assertEqual(trace.unclosed, 0)
            self.assertEqual(collections.Counter(each[1:] for each in trace.slices), spans(profile))

    def test_perfetto_links_launches(self):
        for profile in (self.tiny, self.odd):
            trace = PerfettoTrace(export(profile, "perfetto"))
            launches = profile.rows("SELECT a.begin_ns AS call, k.name, k.begin_ns FROM kernels k "
                                    "JOIN api_calls a ON a.id = k.launch_id")
            self.assertEqual(sorted((a[2], b[1], b[2]) for a, b in map(sorted, trace.flows.values())),
                             sorted((row.call, row.name, row.begin_ns) for row in launches))

    def test_perfetto_tells_arguments_and_rows(self):
        trace = PerfettoTrace(export(self.tiny, "perfetto"))
        told = dict(trace.arguments)["volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_nn"]
        self.assertEqual(told["grid"], "[4, 1, 1]")
        self.assertEqual(told["uses Tensor Cores"], "yes")
        self.assertEqual(told["op"], "aten::linear")
        self.assertEqual(dict(trace.arguments)["aten::linear"]["Input Dims"], "[[64, 64], [64, 64]]")
        names = {row.get("name", [""])[0] for row in trace.tracks.values()}
        self.assertIn("stream 7", names)
        processes = {row["process"][0]["process_name"][0] for row in trace.tracks.values() if "process" in row}
        self.assertIn("Device 0: Tesla V100 (rank 0)", processes)

    def test_overlapping_work_stands_in_rows_that_nest(self):
        trace = PerfettoTrace(export(self.odd, "perfetto"))
        rows = {row.get("name", [""])[0] for row in trace.tracks.values()}
        self.assertIn("overlapping 1", rows)

    def test_chrome_is_read_back_whole(self):
        for profile in (self.tiny, self.odd):
            path = export(profile, "chrome")
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
            counts = collections.Counter(event["ph"] for event in events)
            self.assertEqual(counts["X"], sum(spans(profile).values()))
            launched = profile.value("SELECT count(*) FROM kernels WHERE launch_id IS NOT NULL")
            self.assertEqual((counts["s"], counts["f"]), (launched, launched))
            self.read_back(path, profile)

    def read_back(self, path, profile):
        again = opsight_cli.Profile(path)
        self.assertEqual(spans(again), spans(profile))
        for query in ("SELECT name, layer, direction, shapes, count(*) AS n FROM ops GROUP BY ALL ORDER BY ALL",
                      "SELECT name, op_name, stream, grid_x, block_x, uses_tc, count(*) AS n FROM kernels GROUP BY ALL "
                      "ORDER BY ALL", "SELECT iteration, dur_ns FROM iterations ORDER BY ALL"):
            self.assertEqual(again.rows(query), profile.rows(query))
        return again

    def test_what_is_no_op_keeps_its_kind(self):
        path = os.path.join(opsight_cli.HERE, "fuzz", "seeds", "kineto_2024.json")
        profile = opsight_cli.Profile(path)
        kinds = "SELECT kind, count(*) AS n FROM other_spans WHERE kind <> 'other' GROUP BY ALL ORDER BY ALL"
        self.assertGreater(len(profile.rows(kinds)), 0)
        for form in ("chrome", "perfetto"):
            self.assertEqual(opsight_cli.Profile(export(profile, form)).rows(kinds), profile.rows(kinds), form)

    def test_perfetto_is_read_back_whole(self):
        for profile in (self.tiny, self.odd):
            path = export(profile, "perfetto")
            again = self.read_back(path, profile)
            trace = PerfettoTrace(path)
            self.assertEqual(spans(again), collections.Counter(each[1:] for each in trace.slices))
            self.assertEqual(again.value("SELECT count(*) FROM counters"), len(trace.samples))
            origin = "SELECT value FROM meta WHERE key = 'origin_ns'"
            self.assertEqual(again.value(origin), profile.value(origin))

    def several_ranks(self):
        """Of which each has its own length, on one GPU of its own that is 0, with correlation ids that are the others'."""
        folder = tempfile.mkdtemp(dir=opsight_cli.temporary_folder())
        for rank in range(3):
            trace = tiny_trace.trace(4 + rank)
            del trace["deviceProperties"]
            trace["distributedInfo"] = {"rank": 2 * rank, "world_size": 6, "backend": "nccl"}
            trace["traceEvents"] += [
                {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 10.0,
                 "args": {"Device Type": 1, "Device Id": 0, "Addr": 4096, "Bytes": 512, "Total Allocated": 512 + rank,
                          "Total Reserved": 4096}}]
            with open(os.path.join(folder, f"rank{2 * rank}.json"), "w", encoding="utf-8") as file:
                json.dump(trace, file)
        return opsight_cli.Profile(folder)

    def test_ranks_come_back_as_ranks(self):
        profile = self.several_ranks()
        reports = ("detailed", "iteration", "kernel", "kernel_name", "op_type", "ranks")
        for form in ("chrome", "perfetto"):
            again = self.read_back(export(profile, form), profile)
            ranks = "SELECT rank, count(*) AS n, sum(dur_ns) AS ns FROM kernels GROUP BY ALL ORDER BY ALL"
            self.assertEqual(again.rows(ranks), profile.rows(ranks))
            self.assertEqual([row.rank for row in again.rows(ranks)], [0, 2, 4])
            processes = "SELECT DISTINCT process_name FROM raw.tracks WHERE process_name LIKE '%rank%rank%'"
            self.assertEqual(again.rows(processes), [], "the rank is not told twice")
            counted = "SELECT t.rank, count(*) AS n FROM raw.counters c JOIN raw.tracks t ON t.id = c.track GROUP BY ALL"
            self.assertEqual(sorted(row.n for row in again.rows(counted)), [2, 2, 2], "each rank's memory is its own")
            for name in reports:
                self.assertEqual(again.report(name), profile.report(name), (form, name))
        alone = opsight_cli.Profile(export(profile, "perfetto", "--rank", "4"))
        self.assertEqual([row.rank for row in alone.rows("SELECT DISTINCT rank FROM kernels")], [4])

    def test_process_groups_come_back(self):
        trace = tiny_trace.trace(2)
        arguments = {"stream": 7, "device": 0, "correlation": 999, "Collective name": "allreduce", "dtype": "Float",
                     "Process Group Name": "1", "Process Group Description": "fsdp", "Process Group Ranks": "[0, 4]",
                     "In msg nelems": 8, "Out msg nelems": 8, "Group size": 2}
        trace["traceEvents"].append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0,
                                     "tid": 7, "ts": 1.0, "dur": 2.0, "args": arguments})
        path = os.path.join(opsight_cli.temporary_folder(), "groups.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        profile = opsight_cli.Profile(path)
        told = "SELECT name, group_name, group_description, group_ranks FROM raw.collectives ORDER BY ALL"
        self.assertEqual([(row.name, row.group_name, row.group_description, row.group_ranks) for row in profile.rows(told)],
                         [("allreduce", "1", "fsdp", "[0, 4]")])
        for form in ("chrome", "perfetto"):
            self.assertEqual(opsight_cli.Profile(export(profile, form)).rows(told), profile.rows(told), form)

    def test_a_range_of_iterations(self):
        path = export(self.tiny, "chrome", "--iter-start", "1", "--iter-stop", "2")
        with open(path, encoding="utf-8") as file:
            names = collections.Counter(event["name"] for event in json.load(file)["traceEvents"] if event["ph"] == "X")
        self.assertEqual(names["aten::linear"], 2)
        self.assertEqual([name for name in names if name.startswith("ProfilerStep")], ["ProfilerStep#1", "ProfilerStep#2"])
        for options, words in ((("--rank", "5"), "has no rank 5"), (("--iter-start", "77"), "its last is 3")):
            done = opsight_cli.run("export", self.tiny.path, "--format", "chrome", "-o", "-", *options, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    def test_counters_of_memory(self):
        folder = opsight_cli.temporary_folder()
        trace = tiny_trace.trace()
        for number in range(3):
            trace["traceEvents"].append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1,
                                         "tid": 1, "ts": 10.0 + number,
                                         "args": {"Device Type": 1, "Device Id": 0, "Addr": 4096 + number, "Bytes": 512,
                                                  "Total Allocated": 512 * (number + 1), "Total Reserved": 4096}})
        path = os.path.join(folder, "memory.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)
        profile = opsight_cli.Profile(path)
        perfetto = PerfettoTrace(export(profile, "perfetto"))
        by_name = collections.defaultdict(list)
        for track, _, value in perfetto.samples:
            by_name[perfetto.tracks[track]["name"][0]].append(value)
        self.assertEqual(by_name["Allocated memory GPU 0 (rank 0)"], [512, 1024, 1536])
        self.assertEqual(by_name["Reserved memory GPU 0 (rank 0)"], [4096] * 3)
        with open(export(profile, "chrome"), encoding="utf-8") as file:
            samples = [event for event in json.load(file)["traceEvents"] if event["ph"] == "C"]
        self.assertEqual(sorted(event["args"]["bytes"] for event in samples), [512, 1024, 1536, 4096, 4096, 4096])

    def test_files_that_are_there_stay(self):
        path = os.path.join(opsight_cli.temporary_folder(), "mine.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("mine")
        done = opsight_cli.run("export", self.tiny.path, "--format", "chrome", "-o", path, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--force", done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        done = opsight_cli.run("export", self.tiny.path, "--format", "perfetto", "-o", "-", check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
