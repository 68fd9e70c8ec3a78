#!/usr/bin/env python3
"""Results of rocprofv3 from outside, beside what Python's json reads in them. Needs the corpus."""

import collections
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


if __name__ == "__main__":
    unittest.main()
