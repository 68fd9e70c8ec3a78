#!/usr/bin/env python3
"""What pictures are drawn from (iterations, layers, devices, memory, communication), named ranges, and the
description of the API in docs/openapi.json."""

import json
import os
import shutil
import tempfile
import unittest

import api_schema
import opsight_cli
import tiny_trace
from tiny_trace import span
from view_server import Server

SHARES = ("tensor_core", "other_kernel", "communication", "memory", "dataloader", "io", "cpu", "idle", "unknown_kernel",
          "host")


def rich_trace():
    """The small trace with layers, forward and backward, memory, and communication beside computing."""
    made = tiny_trace.trace(steps=4)
    events = made["traceEvents"]
    for step in range(4):
        at = 100.0 * step
        events += [
            span("python_function", "nn.Module: Net_0", 1, at + 1, 60, **{"Python id": 1, "Python module id": 0}),
            span("cpu_op", "aten::mm", 2, at + 50, 20, **{"Sequence number": step, "Fwd thread id": 1}),
            span("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)", 20, at + 35, 30,
                 pid=0, device=0, stream=20, correlation=900 + step),
            {"ph": "i", "name": "[memory]", "cat": "cpu_instant_event", "pid": 1, "tid": 1, "ts": at + 8, "s": "t",
             "args": {"Total Reserved": 4096 * (step + 1), "Total Allocated": 1000 * (step + 1), "Bytes": 1000,
                      "Addr": 64 + step, "Device Id": 0, "Device Type": 1}},
            {"ph": "i", "name": "[memory]", "cat": "cpu_instant_event", "pid": 1, "tid": 1, "ts": at + 98, "s": "t",
             "args": {"Total Reserved": 4096 * (step + 1), "Total Allocated": 1000 * step + 600, "Bytes": -400,
                      "Addr": 64 + step, "Device Id": 0, "Device Type": 1}},
        ]
    return made


class AnswersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        path = os.path.join(opsight_cli.temporary_folder(), "rich.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rich_trace(), file)
        cls.profile = opsight_cli.Profile(path)
        cls.server = Server(cls.profile.path)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_iterations(self):
        answer = self.server.json("/profiles/0/iterations", iter_start=1, iter_stop=2)
        self.assertEqual([it["iteration"] for it in answer["iterations"]], [0, 1, 2, 3])
        self.assertEqual([it["selected"] for it in answer["iterations"]], [False, True, True, False])
        for it in answer["iterations"]:
            self.assertEqual(tuple(it["shares_ns"]), SHARES)
            self.assertEqual(sum(it["shares_ns"].values()), it["dur_ns"])
        rows = self.server.table("iterations", all=1)[0]
        self.assertEqual([(it["begin_ns"], it["dur_ns"]) for it in answer["iterations"]],
                         [(row["begin_ns"], row["duration_ns"]) for row in rows])
        # 30 to 50 + step us are the GEMM, then what is left of NCCL until 65 but for relu from 60 to 70.
        third = answer["iterations"][2]["shares_ns"]
        self.assertEqual((third["tensor_core"], third["other_kernel"], third["communication"]), (22000, 10000, 8000))
        cut = self.server.json("/profiles/0/iterations", key_op="aten::relu")["iterations"]
        self.assertEqual(len(cut), 4)
        for it in cut:
            self.assertEqual(sum(it["shares_ns"].values()), it["dur_ns"])

    def test_shares_of_one_iteration_are_those_of_the_segments(self):
        for it in self.server.json("/profiles/0/iterations")["iterations"]:
            for number, name in enumerate(SHARES[:-1]):
                wanted = self.profile.value(
                    f"SELECT coalesce(sum(greatest(0, least(end_ns, {it['begin_ns'] + it['dur_ns']}) - "
                    f"greatest(begin_ns, {it['begin_ns']}))), 0)::BIGINT FROM raw.resource_segments "
                    f"WHERE resource = {number}")
                self.assertEqual(it["shares_ns"][name], wanted, (it["iteration"], name))

    def test_layers(self):
        for query in ({}, {"iter_start": 1, "iter_stop": 1}):
            layers = self.server.json("/profiles/0/layers", **query)["layers"]
            rows = {row["name"]: row for row in self.server.table("group_op", **query)[0]}
            self.assertEqual({layer["path"] for layer in layers}, set(rows))
            self.assertGreater(len(layers), 1)
            for layer in layers:
                row = rows[layer["path"]]
                self.assertEqual((layer["calls"], layer["cpu_ns"], layer["gpu_ns"]),
                                 (row["calls"], row["total_cpu_time_ns"], row["total_gpu_time_ns"]))
                self.assertEqual((layer["fwd"]["cpu_ns"], layer["bwd"]["cpu_ns"], layer["fwd"]["gpu_ns"]),
                                 (row["forward_cpu_time_ns"], row["backward_cpu_time_ns"], row["forward_gpu_time_ns"]))
                self.assertEqual(layer["all"]["cpu_ns"], row["self_cpu_time_ns"])
            self.assertEqual(layers[0]["parent"], None)
            for at, layer in enumerate(layers[1:], 1):
                above = [each["id"] for each in layers[:at]]
                self.assertIn(layer["parent"], above)
                self.assertEqual(layer["depth"], layers[above.index(layer["parent"])]["depth"] + 1)
            self.assertEqual(sum(layer["self"]["cpu_ns"] for layer in layers), layers[0]["all"]["cpu_ns"])
            # What was launched outside of ops, or by nobody known, is in the root too.
            self.assertEqual(layers[0]["all"]["kernels"],
                             sum(row["kernels"] for row in self.server.table("detailed", **query)[0]))

    def first(self, **subject):
        return self.server.json("/profiles/0/first", **subject)["event"]

    def test_where_ops_kernels_and_layers_begin(self):
        layers = self.server.json("/profiles/0/layers")
        start, stop = layers["range"]["start"], layers["range"]["stop"]
        within = f"o.iteration BETWEEN {start} AND {stop}"
        for op in self.server.table("detailed", page_size=1000)[0]:
            if op["op_id"] is None:
                continue
            first = self.first(op=op["op_id"])
            wanted = self.profile.rows(f"SELECT min(o.begin_ns) AS begin_ns FROM raw.ops o WHERE o.op = {op['op_id']} AND {within}")[0]
            if wanted.begin_ns is not None:
                self.assertEqual(first["begin_ns"], wanted.begin_ns, op)
            event = self.server.json("/profiles/0/timeline/event", track=first["track"], span=first["span"])["event"]
            self.assertEqual(event["begin_ns"], first["begin_ns"])
        for layer in layers["layers"]:
            path = layer["path"].strip("/")
            calls = self.profile.rows("SELECT o.begin_ns FROM raw.module_calls o JOIN raw.layers l ON l.id = o.layer "
                                      f"WHERE l.path = '{path}' AND {within} ORDER BY 1")
            if calls:
                self.assertEqual(self.first(layer=layer["path"])["begin_ns"], calls[0].begin_ns)
        for kernel in self.server.table("kernel")[0]:
            wanted = min(each["gpu_start_ns"] for each in self.server.table(
                "kernels", filter=[f"op_id:eq:{kernel['op_id']}", f"long_kernel_name:eq:{kernel['long_kernel_name']}"])[0])
            self.assertEqual(self.first(op=kernel["op_id"], kernel=kernel["long_kernel_name"])["begin_ns"], wanted)
        self.assertIsNone(self.first(layer="/no such layer"))

    def test_gpus(self):
        answer = self.server.json("/profiles/0/gpus")
        summary = self.profile.report("summary")["summary"]
        (device,) = answer["devices"]
        self.assertEqual({key: device[key] for key in summary["devices"][0]}, summary["devices"][0])
        self.assertEqual(device["streams"], summary["streams"])
        self.assertEqual({stream["stream"] for stream in device["streams"]}, {7, 20})
        self.assertEqual(device["memory_bytes"], 1 << 34)

    def test_memory(self):
        answer = self.server.json("/profiles/0/memory")
        self.assertTrue(answer["available"])
        (device,) = answer["devices"]
        self.assertEqual((device["kind"], device["device"]), ("GPU", 0))
        self.assertEqual(device["whole"], {"events": 8, "allocated": 4000, "at_ns": 308_000, "reserved": 16384})
        self.assertEqual(device["points"][0], [8_000, 1000, 4096])
        self.assertEqual(len(device["points"]), 8)
        # Of one iteration: its own peak, not that of the run; what was allocated before it counts too.
        part = self.server.json("/profiles/0/memory", iter_start=1, iter_stop=1)
        (inner,) = part["devices"]
        (stretch,) = part["wall"]
        self.assertEqual([inner["range"][key] for key in ("allocated", "at_ns", "reserved")], [2000, 108_000, 8192])
        inside = [point for point in inner["points"] if stretch["begin_ns"] <= point[0] < stretch["end_ns"]]
        self.assertEqual(inner["range"]["events"], len(inside))
        self.assertEqual((inner["whole"], len(inner["points"])), (device["whole"], 8))
        rows = self.server.table("memory_allocators", all=1)[0]
        linear = [row for row in rows if row["op_name"] == "aten::linear"]
        self.assertEqual([(row["allocations"], row["allocated_bytes"], row["device_type"]) for row in linear],
                         [(4, 4000, "GPU")])
        # The last one is freed after all that the last iteration ran, and so after the wall clock.
        self.assertEqual(sum(row["freed_bytes"] for row in rows), 3 * 400)

    def test_communication(self):
        answer = self.server.json("/profiles/0/communication")
        summary = self.profile.report("summary")["summary"]
        (device,) = answer["devices"]
        self.assertEqual(device["communication_ns"], summary["communication_ns"])
        self.assertEqual(device["exposed_ns"], summary["exposed_communication_ns"])
        self.assertEqual(device["overlap_pct"], summary["communication_overlap_pct"])
        self.assertGreater(device["overlap_ns"], 0)
        (collective,) = answer["collectives"]
        self.assertEqual(collective["total_gpu_time_ns"], 30_000 * collective["calls"])

    def test_comparison(self):
        answer = self.server.json("/profiles/0/compare", **{"with": 0, "iter_start": 1, "iter_stop": 2})
        self.assertEqual((answer["verdict"], answer["own_range"]), ("equal", False))
        told = json.loads(opsight_cli.run("compare", self.profile.path, self.profile.path, "--json", "--iter-start", "1",
                                          "--iter-stop", "2").stdout)
        self.assertEqual(answer["answer"], told["notes"][0])
        tables = {table["name"]: table for table in answer["tables"]}
        for name in ("budget", "layers", "ops", "kernels"):
            keys = [column["key"] for column in tables[name]["columns"]]
            self.assertEqual([dict(zip(keys, row)) for row in tables[name]["rows"]], told[name], name)
        self.assertEqual(self.server.error("/profiles/0/compare", **{"with": 7})[0], 404)
        items = self.server.json("/profiles/0/compare", **{"with": 0, "base_items": 5, "new_items": 10})
        told = json.loads(opsight_cli.run("compare", self.profile.path, self.profile.path, "--json", "--per-sample", "5", "10").stdout)
        self.assertEqual(items["answer"], told["notes"][0])
        self.assertIn("of an item (5 an iteration before, 10 after)", items["answer"])
        self.assertEqual(self.server.error("/profiles/0/compare", **{"with": 0, "base_items": 0})[0], 400)

    def test_nothing_of_a_kind(self):
        path = tiny_trace.write(opsight_cli.temporary_folder(), "plain.json")
        with Server(opsight_cli.Profile(path).path) as server:
            memory = server.json("/profiles/0/memory")
            self.assertEqual((memory["available"], memory["devices"]), (False, []))
            self.assertEqual(server.json("/profiles/0/communication")["available"], False)
            self.assertEqual(server.table("memory_allocators")[0], [])

    def test_openapi(self):
        api = api_schema.Api()
        asked = {
            "/api/v1/profiles": {}, "/api/v1/profiles/0/info": {}, "/api/v1/profiles/0/summary": {},
            "/api/v1/profiles/0/findings": {}, "/api/v1/profiles/0/iterations": {}, "/api/v1/profiles/0/layers": {},
            "/api/v1/profiles/0/gpus": {}, "/api/v1/profiles/0/memory": {}, "/api/v1/profiles/0/communication": {},
            "/api/v1/profiles/0/aggregations": {}, "/api/v1/profiles/0/compare": {"with": 0}, "/api/v1/trend": {},
        }
        tables = self.server.error("/profiles/0/tables/none")[1]["remedy"].removeprefix("the tables are ").split(", ")
        for name in tables:
            asked[f"/api/v1/profiles/0/tables/{name}"] = {"op": 0, "iteration": 1}
        self.assertEqual(set(tables), set(api.table_names()))
        for path, query in asked.items():
            api.check("GET", path, 200, self.server.json(path.removeprefix("/api/v1"), **query))
        for path in ("/api/v1/profiles/9/info", "/api/v1/profiles/0/tables/none"):
            api.check("GET", path, 404, json.loads(self.server.ask(path)[2]))

    def test_openapi_of_the_timeline(self):
        api, base = api_schema.Api(), "/api/v1/profiles/0/timeline/"

        def held(name, **query):
            answer = self.server.json("/profiles/0/timeline/" + name, **query)
            api.check("GET", base + name, 200, answer)
            return answer

        tracks = held("tracks")["tracks"]
        ids = ",".join(str(track["id"]) for track in tracks if track["kind"] != "counter")
        window = held("window", tracks=ids, begin=0, end=400_000, width=1000)
        self.assertGreater(len(window["names"]), 3)
        found = held("search", q="volta", tracks=ids)
        self.assertEqual(found["matches"], 4)
        self.assertIsNone(held("search", q="no such name")["match"])
        event = held("event", track=found["match"]["track"], span=found["match"]["span"])
        self.assertGreater(len(event["chain"]), 1)
        self.assertGreater(len(held("sums", tracks=ids, begin=0, end=400_000)["names"]), 3)
        counters = ",".join(str(track["id"]) for track in tracks if track["kind"] == "counter")
        self.assertGreater(len(held("counters", tracks=counters, begin=0, end=400_000, width=100)["tracks"]), 0)

    def test_a_kernel_of_a_table_is_found_on_the_timeline(self):
        for row in self.server.table("kernels")[0]:
            event = self.server.json("/profiles/0/timeline/event", track=row["track"], span=row["span"])["event"]
            self.assertEqual((event["begin_ns"], event["dur_ns"]), (row["gpu_start_ns"], row["gpu_duration_ns"]))


class AggregationsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opsight-view-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "a.opsight")
        opsight_cli.run("import", tiny_trace.write(self.folder, steps=6), "-o", self.path)
        os.unlink(os.path.join(self.folder, "trace.json"))

    def post(self, server, **wish):
        status, _, body = server.ask("/api/v1/profiles/0/aggregations", method="POST", body=json.dumps(wish),
                                     headers={"Content-Type": "application/json"})
        return status, json.loads(body)

    def test_made_used_kept_and_removed(self):
        with Server(self.path) as server:
            status, made = self.post(server, name="middle", iter_start=2, iter_stop=3)
            self.assertEqual((status, made["name"], made["parameters"]), (201, "middle", {"iter_start": 2, "iter_stop": 3}))
            self.assertEqual((made["range"]["start"], made["range"]["stop"], made["range"]["selected"]), (2, 3, 2))
            api_schema.Api().check("POST", "/api/v1/profiles/0/aggregations", 201, made)
            _, cut = self.post(server, key_op="aten::relu")
            self.assertIn("aten::relu", cut["name"])
            for each, options in ((made, ["--iter-start", "2", "--iter-stop", "3"]), (cut, ["--key-op", "aten::relu"])):
                report = json.loads(opsight_cli.run("report", self.path, "--report", "kernel", "--format", "json",
                                                    *options).stdout)["kernel"]
                self.assertEqual(server.table("kernel", aggregation=each["id"])[0], report)
            status, error = server.error("/profiles/0/summary", aggregation=made["id"], iter_start=1)
            self.assertEqual(status, 400)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.opsight", "a.opsight-views"])
        with Server(self.folder) as server:
            listed = server.json("/profiles/0/aggregations")
            self.assertEqual((listed["aggregations"], listed["kept"]), ([made, cut], True))
            self.assertEqual(server.ask(f"/api/v1/profiles/0/aggregations/{made['id']}", method="DELETE")[0], 204)
            self.assertEqual(server.ask(f"/api/v1/profiles/0/aggregations/{made['id']}", method="DELETE")[0], 404)
            self.assertEqual(server.error("/profiles/0/summary", aggregation=made["id"])[0], 404)
            self.assertNotIn(self.post(server, all=True)[1]["id"], (made["id"], cut["id"]))
            self.assertEqual(server.json("/profiles/0/aggregations")["aggregations"][0], cut)

    def test_in_memory_where_nothing_may_be_written(self):
        with Server(self.path, options=("--no-open", "-p", "0", "--read-only")) as server:
            _, made = self.post(server, iter_start=1)
            listed = server.json("/profiles/0/aggregations")
            self.assertEqual((listed["aggregations"], listed["kept"]), ([made], False))
            self.assertIn("--read-only", listed["not_kept_because"])
            self.assertTrue(server.json("/profiles")["read_only"])
        self.assertEqual(os.listdir(self.folder), ["a.opsight"])

    def test_a_file_of_somebody_else_is_left_alone(self):
        views = os.path.join(self.folder, "a.opsight-views")
        for text in ("hello", '{"format": 99}', '{"format": 1, "next_id": 1, "aggregations": [{}]}'):
            with open(views, "w", encoding="utf-8") as file:
                file.write(text)
            with Server(self.path) as server:
                self.assertEqual(self.post(server, iter_start=1)[0], 201)
                self.assertEqual(server.json("/profiles/0/aggregations")["kept"], False)
            with open(views, encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

    def test_bad_wishes(self):
        with Server(self.path) as server:
            for wish in ({"none": 1}, {"iter_start": "1"}, {"iter_start": 1.5}, {"all": 1}, {"name": 3}, {"key_op": "none"},
                         {"iter_start": 4, "iter_stop": 2}, {"iter_stop": 99}, {"name": "x" * 1000},
                         {"key_op": "aten::relu", "iteration_range": "*"}):
                status, answer = self.post(server, **wish)
                self.assertEqual((status, answer["error"]["code"]), (400, "bad_request"), wish)
            for body in ("", "[]", "{", "null", "[" * 10000):
                status, _, _ = server.ask("/api/v1/profiles/0/aggregations", method="POST", body=body,
                                          headers={"Content-Type": "application/json"})
                self.assertEqual(status, 400, body[:20])
            self.assertEqual(server.json("/profiles/0/aggregations")["aggregations"], [])


class RepeatedRuns(unittest.TestCase):
    """Several runs a side, as `opsight compare --base A... --new B...` has them."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="opsight_runs_")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.paths = []
        for number in range(10):  # five of 100 to 104 us a step, and five of 110 to 114
            made = tiny_trace.trace(steps=6)
            for event in made["traceEvents"]:
                for key in {"ts", "dur"} & event.keys():
                    event[key] *= 1 + number % 5 / 100 + number // 5 / 10
            trace, profile = (os.path.join(cls.folder.name, f"r{number}.{end}") for end in ("json", "opsight"))
            with open(trace, "w", encoding="utf-8") as file:
                json.dump(made, file)
            opsight_cli.run("import", "-q", trace, "-o", profile)
            cls.paths.append(profile)
        cls.server = Server(*cls.paths)
        cls.addClassCleanup(cls.server.stop)

    def test_are_compared_as_on_the_command_line(self):
        answer = self.server.json("/profiles/0/compare", **{"with": 5, "base_runs": [1, 2, 3, 4], "new_runs": [6, 7, 8, 9]})
        told = json.loads(opsight_cli.run("compare", "--json", "--base", *self.paths[:5], "--new", *self.paths[5:]).stdout)
        self.assertEqual((answer["verdict"], answer["answer"]), ("real", told["notes"][0]))
        self.assertEqual((answer["base_shown"], answer["new_shown"]), ("2", "7"))
        tables = {table["name"]: table for table in answer["tables"]}
        self.assertEqual(len(tables["runs"]["rows"]), 10)
        for name in ("budget", "layers", "ops", "kernels"):
            keys = [column["key"] for column in tables[name]["columns"]]
            self.assertEqual([dict(zip(keys, row)) for row in tables[name]["rows"]], told[name], name)

    def test_each_counts_once(self):
        one = self.server.json("/profiles/0/compare", **{"with": 5})
        self.assertEqual((one["base_shown"], one["new_shown"]), ("0", "5"))
        again = self.server.json("/profiles/0/compare", **{"with": 5, "base_runs": [0, 0], "new_runs": 5})
        self.assertEqual(again, one)

    def test_too_many_and_unknown_ones_are_refused(self):
        self.assertEqual(self.server.error("/profiles/0/compare", **{"with": 5, "base_runs": [77]})[0], 404)
        status, error = self.server.error("/profiles/0/compare", **{"with": 5, "new_runs": [1] * 50})
        self.assertEqual((status, error["code"]), (400, "bad_request"))
        self.assertIn("at most 50 runs a side", error["message"])


if __name__ == "__main__":
    unittest.main()
