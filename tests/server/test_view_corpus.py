#!/usr/bin/env python3
"""Every address of `opsight view` on real profiles: answers as docs/openapi.json says, numbers as in the reports,
sums that add up."""

import os
import unittest

import api_schema
import opsight_cli
from view_server import Server

SOURCES = ("kineto/kineto-tb/resnet50_nw4_a__worker0.1623212756351.pt.trace.json.gz",
           "kineto/tracelens/mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
           "kineto/hta/nccl_parser_config__nccl_data.json.gz",
           "nsys-sqlite/nsightful__power_iteration.sqlite")
REPORTS = ("detailed", "kernel", "tensor_core", "op_type", "group_op", "ranges")
CORPUS = opsight_cli.shared_folder("corpus", "kineto")

# What an address of that ending is asked with.
NEEDED = {"first": {"layer": "/"}, "compare": {"with": 0}}


class CorpusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if CORPUS is None:
            opsight_cli.say_skipped("the viewer on real profiles: no corpus (OPSIGHT_CORPUS)")
            raise unittest.SkipTest("no corpus")
        cls.profiles = [opsight_cli.Profile(os.path.join(CORPUS, source)) for source in SOURCES
                        if os.path.exists(os.path.join(CORPUS, source))]
        cls.server = Server(*(profile.path for profile in cls.profiles))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def each(self):
        for number, profile in enumerate(self.profiles):
            with self.subTest(source=profile.info()["sources"][0].rsplit("/", 1)[-1]):
                yield str(number), profile

    def test_tables_are_the_reports(self):
        for number, profile in self.each():
            for name in REPORTS:
                wanted = profile.report(name)[name]
                rows = []
                for page in range(1000):
                    part, answer = self.server.table(name, profile=number, page=page, page_size=1000)
                    rows += part
                    if len(rows) >= answer["rows_in_all"]:
                        break
                self.assertEqual(rows, wanted if isinstance(wanted, list) else wanted[name], name)
            self.assertEqual(self.server.json(f"/profiles/{number}/summary")["summary"], profile.report("summary")["summary"])

    def test_answers_are_as_described(self):
        api = api_schema.Api()
        for number, _ in self.each():
            op = self.server.table("detailed", profile=number, page_size=1)[0][0]["op_id"] or 0
            for pattern in api.paths("GET"):
                # Of others there are none here: test_view_fleet.py, test_view_sweep.py and test_view_cloud.py hold those.
                if "/timeline/" in pattern or any(each in pattern for each in ("{store}", "{sweep}", "{cloud}")):
                    continue
                for name in api.table_names() if "{name}" in pattern else [""]:
                    path = pattern.replace("{id}", number).replace("{name}", name)
                    query = NEEDED.get(pattern.rsplit("/", 1)[1], {"op": op} if name else {})
                    if "iteration_op" in name:
                        query["iteration"] = 0
                    if not self.server.json(f"/profiles/{number}/iterations")["iterations"] and "iteration" in query:
                        continue
                    api.check("GET", path, 200, self.server.json(path.removeprefix("/api/v1"), **query))

    def test_sums_add_up(self):
        for number, _ in self.each():
            for it in self.server.json(f"/profiles/{number}/iterations")["iterations"]:
                self.assertEqual(sum(it["shares_ns"].values()), it["dur_ns"])
                self.assertGreaterEqual(min(it["shares_ns"].values()), 0)
            layers = self.server.json(f"/profiles/{number}/layers")["layers"]
            groups = self.server.table("group_op", profile=number, page_size=1000)[1]["rows_in_all"]
            self.assertEqual(len(layers), groups)
            if layers:
                for key in ("cpu_ns", "gpu_ns", "kernels"):
                    self.assertEqual(sum(layer["self"][key] for layer in layers), layers[0]["all"][key])
            for device in self.server.json(f"/profiles/{number}/memory")["devices"]:
                self.assertEqual(max(point[1] for point in device["points"]), device["whole"]["allocated"])
                self.assertLessEqual(device["range"]["allocated"] or 0, device["whole"]["allocated"])
                self.assertLessEqual(len(device["points"]), 2000)

    def test_kernels_of_an_op_are_those_of_its_sums(self):
        """An op's kernels, with those of what it calls, are as many and take as long as its row says."""
        for number, _ in self.each():
            for row in self.server.table("detailed", profile=number, sort="kernels:desc", page_size=5,
                                         filter="op_name:contains:aten::")[0]:
                under = self.server.table("ops_kernels", profile=number, op=row["op_id"], page_size=1000)[0]
                self.assertEqual((sum(k["calls"] for k in under), sum(k["total_gpu_time_ns"] for k in under)),
                                 (row["kernels"], row["kernel_time_ns"]), row["op_name"])


if __name__ == "__main__":
    unittest.main()
