#!/usr/bin/env python3
"""Results and tables of rocprof from outside, beside what Python's json and csv read in them. The results need the
corpus; the tables are made here."""

import collections
import csv
import gzip
import json
import os
import unittest

import opsight_cli

CORPUS = opsight_cli.shared_folder("corpus", os.path.join("other", "rocprof"))


@unittest.skipUnless(CORPUS, "no corpus (OPSIGHT_CORPUS)")
class Results(unittest.TestCase):
    def test_kernels_are_those_of_the_file(self):
        path = os.path.join(CORPUS, "other", "rocprof", "tracelens__908_results.json.gz")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            results = json.load(file)["rocprofiler-sdk-tool"][0]
        names = {symbol["kernel_id"]: symbol["formatted_kernel_name"] for symbol in results["kernel_symbols"]}
        calls, times, blocks = collections.Counter(), collections.Counter(), collections.Counter()
        for record in results["buffer_records"]["kernel_dispatch"]:
            info = record["dispatch_info"]
            name = names[info["kernel_id"]]
            calls[name] += 1
            times[name] += record["end_timestamp"] - record["start_timestamp"]
            blocks[name] += -(-info["grid_size"]["x"] // info["workgroup_size"]["x"])
        profile = opsight_cli.Profile(path)
        found = profile.rows("SELECT name, count(*) AS calls, sum(dur_ns)::BIGINT AS ns, sum(grid_x)::BIGINT AS blocks "
                             "FROM kernels GROUP BY name")
        self.assertEqual({row.name: (row.calls, row.ns, row.blocks) for row in found},
                         {name: (calls[name], times[name], blocks[name]) for name in calls})
        self.assertEqual(sum(calls.values()), 43915)
        device = profile.rows("SELECT name, sm_count FROM raw.devices WHERE number = 0")[0]
        self.assertEqual((device.name, device.sm_count), ("AMD Instinct MI350X", 256))


CALL = ["Domain", "Function", "Process_Id", "Thread_Id", "Correlation_Id", "Start_Timestamp", "End_Timestamp"]
KERNEL = ["Kind", "Agent_Id", "Queue_Id", "Stream_Id", "Thread_Id", "Dispatch_Id", "Kernel_Id", "Kernel_Name",
          "Correlation_Id", "Start_Timestamp", "End_Timestamp", "LDS_Block_Size", "Scratch_Size", "VGPR_Count",
          "Accum_VGPR_Count", "SGPR_Count", "Workgroup_Size_X", "Workgroup_Size_Y", "Workgroup_Size_Z", "Grid_Size_X",
          "Grid_Size_Y", "Grid_Size_Z"]
COPY = ["Kind", "Direction", "Stream_Id", "Source_Agent_Id", "Destination_Agent_Id", "Correlation_Id",
        "Start_Timestamp", "End_Timestamp"]
NAMES = ["void gemm<float, 4>(float*, float const*)", 'copy "of" rows', "__amd_rocclr_fillBufferAligned"]
START = 172352210000000


def write_run(folder):
    """Six iterations of twenty launches and a copy, on two GPUs."""
    tables = {"hip_api_trace": [CALL], "marker_api_trace": [CALL], "kernel_trace": [KERNEL], "memory_copy_trace": [COPY]}
    at, number = START, 0
    for step in range(6):
        begin = at
        for launch in range(20):
            number += 1
            tables["hip_api_trace"].append(["HIP_RUNTIME_API", "hipLaunchKernel", 70, 71, number, at, at + 3000])
            tables["kernel_trace"].append(
                ["KERNEL_DISPATCH", f"Agent {1 + launch % 2}", 1, launch % 3, 71, number, launch % 3, NAMES[launch % 3],
                 number, at + 5000, at + 9000 + launch, 0, 0, 12, 4, 48, 256, 1, 1, 1000 + launch, 2, 1])
            at += 10000
        number += 1
        tables["hip_api_trace"].append(["HIP_RUNTIME_API", "hipMemcpy", 70, 71, number, at, at + 30000])
        tables["memory_copy_trace"].append(["MEMORY_COPY", "MEMORY_COPY_DEVICE_TO_HOST", 0, "Agent 1", "Agent 0", number,
                                            at + 5000, at + 25000])
        at += 40000
        number += 1
        tables["marker_api_trace"].append(["MARKER_CORE_RANGE_API", f"step {step}", 70, 71, number, begin, at])
    for name, rows in tables.items():
        with open(os.path.join(folder, f"70_{name}.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerows(rows)


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.join(opsight_cli.temporary_folder(), "rocprof_tables")
        os.makedirs(cls.folder)
        write_run(cls.folder)
        cls.profile = opsight_cli.Profile(cls.folder)

    def read(self, name):
        with open(os.path.join(self.folder, f"70_{name}.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_kernels_are_those_of_the_table(self):
        calls, times, blocks = collections.Counter(), collections.Counter(), collections.Counter()
        for row in self.read("kernel_trace"):
            key = row["Kernel_Name"], int(row["Agent_Id"].split()[1])
            calls[key] += 1
            times[key] += int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
            blocks[key] += -(-int(row["Grid_Size_X"]) // int(row["Workgroup_Size_X"]))
        found = self.profile.rows("SELECT name, device, count(*) AS calls, sum(dur_ns)::BIGINT AS ns, "
                                  "sum(grid_x)::BIGINT AS blocks FROM kernels GROUP BY ALL")
        self.assertEqual({(row.name, row.device): (row.calls, row.ns, row.blocks) for row in found},
                         {key: (calls[key], times[key], blocks[key]) for key in calls})
        self.assertEqual(sum(calls.values()), 120)

    def test_work_stands_under_its_calls(self):
        self.assertEqual(self.profile.value("SELECT count(*) FROM api_calls"), len(self.read("hip_api_trace")))
        info = self.profile.info()
        self.assertNotIn("no_launch_found", json.dumps(info))
        self.assertEqual(self.profile.value("SELECT count(*) FROM nvtx_ranges WHERE text LIKE 'step %'"), 6)

    def test_sizes_of_copies_are_not_known(self):
        self.assertEqual(self.profile.value("SELECT count(*) FROM memcpys WHERE bytes IS NULL"), 6)
        text = opsight_cli.run("report", self.profile.path, "--report", "copies").stdout
        self.assertRegex(text, r"DtoH .* 6 +120.000 µs +- +-")

    def test_a_table_alone_is_a_run(self):
        alone = opsight_cli.Profile(os.path.join(self.folder, "70_kernel_trace.csv"))
        self.assertEqual(alone.value("SELECT count(*) FROM kernels"), 120)


class Traces(unittest.TestCase):
    """results.json of rocprof 1, as its writer's code makes it."""

    def test_spans_are_those_of_the_file(self):
        path = os.path.join(opsight_cli.HERE, "fuzz", "seeds", "rocprof_v1_results.json")
        with open(path, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        rows = {event["pid"]: event["args"]["name"] for event in events if event.get("ph") == "M"}
        told = collections.Counter()
        for event in events:
            if event.get("ph") == "X":
                told[rows[event["pid"]]] += int(event["args"]["EndNs"]) - int(event["args"]["BeginNs"])
        profile = opsight_cli.Profile(path)
        sums = {"CPU HIP API": "api_calls", "COPY": "memcpys", "Markers and Ranges": "nvtx_ranges"}
        for row, view in sums.items():
            self.assertEqual(profile.value(f"SELECT sum(dur_ns)::BIGINT FROM {view}"), told[row], row)
        waits = profile.value("SELECT sum(dur_ns)::BIGINT FROM device_other")
        self.assertEqual(profile.value("SELECT sum(dur_ns)::BIGINT FROM kernels") + waits, told["GPU0"])
        launched = profile.rows("SELECT k.name AS kernel, a.name AS call FROM kernels k JOIN api_calls a ON a.id = k.launch_id")
        self.assertEqual([(row.kernel, row.call) for row in launched], [("gemm(float*)", "hipLaunchKernel")])


if __name__ == "__main__":
    unittest.main()
