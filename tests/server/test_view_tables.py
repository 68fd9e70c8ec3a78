#!/usr/bin/env python3
"""The tables of `opsight view`: their numbers are those of `opsight report`, and search, filters, order, pages
and downloads do what they say."""

import csv
import io
import json
import pathlib
import re
import unittest

import opsight_cli
import tiny_trace
from view_server import Server

REPORTS = ("detailed", "kernel", "tensor_core", "op_type", "group_op", "ranges")
RANGES = ({}, {"all": 1}, {"whole": 1}, {"iter_start": 1, "iter_stop": 2}, {"key_op": "aten::relu"},
          {"iteration_range": "ProfilerStep#*"})
OPTIONS = {"all": "--all-iterations", "whole": "--whole-run", "iter_start": "--iter-start", "iter_stop": "--iter-stop",
           "key_op": "--key-op", "iteration_range": "--iteration-range"}


def options_of(chosen):
    """The words of the command line for the parameters of a range."""
    words = []
    for key, value in chosen.items():
        words += [OPTIONS[key]] if key in ("all", "whole") else [OPTIONS[key], str(value)]
    return words


class TablesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = opsight_cli.Profile(tiny_trace.write(opsight_cli.temporary_folder(), steps=6))
        cls.server = Server(cls.profile.path)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_numbers_of_the_reports(self):
        for chosen in RANGES:
            for name in REPORTS:
                report = self.profile.report(name, *options_of(chosen))
                wanted = report[name]
                rows, answer = self.server.table(name, page_size=1000, **chosen)
                self.assertEqual(rows, wanted if isinstance(wanted, list) else wanted[name], (name, chosen))
                self.assertEqual(answer["range"], report["range"])
                self.assertEqual(answer["rows_in_all"], len(rows))
                self.assertGreater(len(rows), 0)

    def test_iterations_and_their_kernels(self):
        for chosen in RANGES:
            report = self.profile.report("iteration", *options_of(chosen))["iteration"]
            self.assertEqual(self.server.table("iteration", page_size=1000, **chosen)[0], report["kernels"])
            self.assertEqual(self.server.table("iterations", page_size=1000, **chosen)[0], report["iterations"])

    def test_what_some_sources_record(self):
        page = (pathlib.Path(__file__).parents[2] / "web/src/pages/RecordedPage.tsx").read_text(encoding="utf-8")
        tables = re.findall(r'table\("(\w+)", "', page)
        self.assertEqual(len(tables), 11)
        for name in tables:
            answer = self.server.table(name)[1]
            there = [column["key"] for column in answer["columns"]]
            self.assertGreater(len(answer["shown"]), 2, name)
            self.assertEqual(set(answer["shown"]) - set(there), set(), name)
        self.assertEqual(self.server.table("api", page_size=1000)[0], self.profile.report("api")["api"])

    def test_names_merged_by_their_numbers(self):
        rows = {row["range"]: row["calls"] for row in self.server.table("ranges", page_size=1000)[0]}
        merged = {row["range"]: row["calls"] for row in self.server.table("ranges", page_size=1000, merge_numbers=1)[0]}
        self.assertLess(len(merged), len(rows))
        self.assertEqual(sum(merged.values()), sum(rows.values()))

    def test_summary(self):
        for chosen in RANGES:
            report = self.profile.report("summary", *options_of(chosen))
            self.assertEqual(self.server.json("/profiles/0/summary", **chosen), report)

    def test_info(self):
        self.assertEqual(self.server.json("/profiles/0/info"), self.profile.info())

    def test_pages(self):
        for name in ("detailed", "iteration", "kernel"):
            whole = self.server.table(name, page_size=1000)[0]
            pages = [self.server.table(name, page_size=3, page=number) for number in range(len(whole) // 3 + 2)]
            self.assertEqual([row for rows, _ in pages for row in rows], whole, name)
            self.assertEqual({answer["rows_in_all"] for _, answer in pages}, {len(whole)})
            self.assertEqual(pages[-1][0], [])

    def test_order(self):
        for name, key in (("detailed", "total_gpu_time_ns"), ("iteration", "gpu_duration_ns"),
                          ("iteration", "gpu_start_ns"), ("kernel", "avg_gpu_time_ns"), ("detailed", "median_gpu_time_ns")):
            for direction in ("asc", "desc"):
                rows = self.server.table(name, sort=f"{key}:{direction}", page_size=1000)[0]
                values = [row[key] for row in rows if row[key] is not None]
                self.assertEqual(values, sorted(values, reverse=direction == "desc"), (name, key))
                self.assertGreater(len(set(values)), 1)
                top = self.server.table(name, sort=f"{key}:{direction}", page_size=2)[0]
                self.assertEqual(top, rows[:2])
        names = [row["op_name"] for row in self.server.table("detailed", sort="op_name:desc")[0]]
        self.assertEqual(names, sorted(names, reverse=True))

    def test_search(self):
        rows, answer = self.server.table("iteration", search="RELU")
        self.assertEqual({row["op_name"] for row in rows}, {"aten::relu"})
        self.assertEqual((answer["rows_matching"], answer["rows_in_all"]), (len(rows), 2 * len(rows)))
        self.assertEqual(self.server.table("iteration", search="50%_off")[0], [])
        self.assertEqual(self.server.table("detailed", search="'; DROP TABLE x; --")[0], [])
        self.assertGreater(len(self.server.table("detailed")[0]), 0)

    def test_search_looks_into_every_text(self):
        for name in ("kernels", "iteration", "detailed", "kernel"):
            whole = self.server.table(name, page_size=1000)[0]
            for text in ("RELU", "yes", "64", "half", "FProp", "name", "volta", "compute", "linear", "_", "zzz", "0"):
                wanted = [row for row in whole if any(isinstance(value, str) and text.lower() in value.lower()
                                                      for value in row.values())]
                rows, answer = self.server.table(name, page_size=1000, search=text)
                self.assertEqual(rows, wanted, (name, text))
                self.assertEqual((answer["rows_matching"], answer["rows_in_all"]), (len(wanted), len(whole)))
        both = self.server.table("kernels", search="volta", filter="iteration:eq:2")
        self.assertEqual(([row["iteration"] for row in both[0]], both[1]["rows_matching"]), ([2], 1))

    def test_filters(self):
        whole = self.server.table("iteration", page_size=1000)[0]
        middle = sorted(row["gpu_duration_ns"] for row in whole)[len(whole) // 2]
        tests = {"lt": lambda v: v < middle, "le": lambda v: v <= middle, "gt": lambda v: v > middle,
                 "ge": lambda v: v >= middle, "eq": lambda v: v == middle, "ne": lambda v: v != middle}
        for name, holds in tests.items():
            rows, answer = self.server.table("iteration", filter=f"gpu_duration_ns:{name}:{middle}", page_size=1000)
            self.assertEqual(rows, [row for row in whole if holds(row["gpu_duration_ns"])], name)
            self.assertEqual((answer["rows_matching"], answer["rows_in_all"]), (len(rows), len(whole)))
        rows = self.server.table("iteration", filter=["op_name:contains:LINEAR", f"gpu_duration_ns:gt:{middle}"])[0]
        self.assertEqual(rows, [row for row in whole if "linear" in row["op_name"] and
                                row["gpu_duration_ns"] > middle])
        self.assertGreater(len(rows), 0)
        self.assertEqual(self.server.table("iteration", filter="op_name:eq:aten::relu", page_size=1000)[0],
                         [row for row in whole if row["op_name"] == "aten::relu"])
        eligible = self.server.table("detailed", filter="tc_eligible:eq:yes")[0]
        self.assertEqual([row["op_name"] for row in eligible], ["aten::linear"])
        self.assertEqual(self.server.table("iteration", filter="layer:ne:")[0], [])
        self.assertEqual(self.server.table("iteration", filter="layer:eq:", page_size=1000)[0], whole)
        self.assertEqual(self.server.table("kernel", filter="occupancy_pct:lt:1e9")[1]["rows_in_all"], 2)

    def test_downloads(self):
        for name in ("detailed", "iteration"):
            wanted = self.server.table(name, page_size=1000, search="relu", sort="op_id:asc")[0]
            status, headers, body = self.server.ask(
                f"/api/v1/profiles/0/tables/{name}?search=relu&sort=op_id:asc&download=json&page_size=1")
            self.assertEqual(status, 200)
            run = pathlib.Path(self.profile.path).stem
            title = {"detailed": "Ops (Detailed)", "iteration": "Kernels by Iteration"}[name]
            self.assertIn(f'filename="{run} {title}.json"', headers["Content-Disposition"])
            self.assertEqual(json.loads(body), wanted)
            status, headers, body = self.server.ask(f"/api/v1/profiles/0/tables/{name}?format=csv")
            self.assertIn("text/csv", headers["Content-Type"])
            report = opsight_cli.run("report", self.profile.path, "--report", name, "--format", "csv").stdout
            if name == "iteration":
                report = report.split("iteration_kernels\n")[1]
            self.assertEqual(list(csv.reader(io.StringIO(body.decode()))), list(csv.reader(io.StringIO(report))))
        _, _, none = self.server.ask("/api/v1/profiles/0/tables/detailed?search=nothing_has_this&download=json")
        self.assertEqual(json.loads(none), [])

    def test_every_table_downloads_what_it_shows(self):
        api = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "openapi.json").read_text(encoding="utf-8"))
        table = api["paths"]["/api/v1/profiles/{id}/tables/{name}"]["get"]
        names = next(each for each in table["parameters"] if each.get("name") == "name")["schema"]["enum"]
        self.assertGreater(len(names), 12)
        relu = [row["op_id"] for row in self.server.table("detailed")[0] if row["op_name"] == "aten::relu"][0]
        for name in names:
            needs = {"ops_kernels": f"&op={relu}", "op_stacks": f"&op={relu}", "iteration_ops": "&iteration=2",
                     "iteration_op_kernels": f"&iteration=2&op={relu}"}.get(name, "")
            shown = self.server.ask(f"/api/v1/profiles/0/tables/{name}?page_size=1000&search=e{needs}")
            status, _, body = self.server.ask(f"/api/v1/profiles/0/tables/{name}?download=json&search=e{needs}")
            self.assertEqual((name, shown[0], status), (name, 200, 200))
            answer = json.loads(shown[2])
            keys = [column["key"] for column in answer["columns"]]
            self.assertEqual(json.loads(body), [dict(zip(keys, row)) for row in answer["rows"]], name)
            self.assertEqual(answer["rows_matching"], len(answer["rows"]), name)

    def test_kernels_behind_an_op(self):
        ops = {row["op_name"]: row["op_id"] for row in self.server.table("detailed")[0]}
        kernels = self.server.table("kernel")[0]
        for name in ("aten::linear", "aten::relu"):
            rows = self.server.table("ops_kernels", op=ops[name])[0]
            self.assertEqual([(row["kernel_name"], row["calls"], row["total_gpu_time_ns"]) for row in rows],
                             [(row["kernel_name"], row["calls"], row["total_gpu_time_ns"]) for row in kernels
                              if row["op_name"] == name])
            self.assertEqual(len(rows), 1)

    def test_one_iteration(self):
        of_two = self.profile.report("detailed", "--iter-start", "2", "--iter-stop", "2")["detailed"]
        self.assertEqual(self.server.table("iteration_ops", iteration=2)[0], of_two)
        relu = [row["op_id"] for row in of_two if row["op_name"] == "aten::relu"][0]
        rows = self.server.table("iteration_op_kernels", iteration=2, op=relu)[0]
        self.assertEqual([(row["iteration"], row["kernel_name"], row["gpu_duration_ns"]) for row in rows],
                         [(2, "relu_kernel", 10_000)])
        for query in ({}, {"iteration": 2}, {"op": relu}, {"iteration": 99, "op": relu}, {"iteration": "x", "op": 1}):
            self.assertEqual(self.server.error("/profiles/0/tables/iteration_op_kernels", **query)[0], 400, query)

    def test_all_kernels(self):
        rows = self.server.table("kernels", page_size=1000)[0]
        wanted = self.server.table("iteration", page_size=1000)[0]
        self.assertEqual([{key: row[key] for key in wanted[0]} for row in rows], wanted)
        self.assertEqual({row["tc_evidence"] for row in rows if row["uses_tc"] == "yes"}, {"name"})
        spans = {row["span"]: row["gpu_start_ns"] for row in rows}
        self.assertEqual(len(spans), len(rows))
        for span, begin in spans.items():
            self.assertEqual(self.profile.value(f"SELECT begin_ns FROM kernels WHERE id = {span}"), begin)

    def test_devices_streams_and_diagnostics(self):
        summary = self.profile.report("summary")["summary"]
        for name in ("devices", "streams", "diagnostics"):
            rows = self.server.table(name)[0]
            self.assertEqual([{key: row[key] for key in wanted} for row, wanted in zip(rows, summary[name])],
                             summary[name])
        device = self.server.table("devices")[0][0]
        self.assertEqual((device["name"], device["compute_capability"], device["sm_count"]), ("Tesla V100", "7.0", 80))

    def test_ops_to_cut_by(self):
        rows = {row["name"]: row for row in self.server.table("key_ops")[0]}
        self.assertEqual({name: row["calls"] for name, row in rows.items()}, {"aten::linear": 6, "aten::relu": 6})
        self.assertEqual(rows["aten::relu"]["total_cpu_time_ns"], 60_000)
        for name in rows:
            self.assertEqual(self.server.json("/profiles/0/summary", key_op=name)["range"]["total"], 6)

    def test_by_rank_and_device(self):
        for name in REPORTS[:-1]:  # ranges are not parted
            rows, answer = self.server.table(name, by_rank=1, by_device=1, page_size=1000)
            self.assertEqual([column["key"] for column in answer["columns"][:2]], ["rank", "device"])
            wanted = self.profile.report(name, "--group-by", "rank,device")[name]
            self.assertEqual(rows, wanted if isinstance(wanted, list) else wanted[name])

    def test_place_of_a_row(self):
        """However rows tie, and among empty fields too: the place is that in the whole table as it is ordered."""
        for name, key, orders in (("kernels", "correlation", ("", "kernel_name:asc", "kernel_name:desc", "uses_tc:desc",
                                                              "gpu_duration_ns:desc", "launch_delay_ns:asc")),
                                  ("detailed", "op_id", ("", "layer:asc", "calls:desc", "p95_gpu_time_ns:asc"))):
            for order in orders:
                rows, _ = self.server.table(name, sort=order, page_size=1000)
                self.assertGreater(len(rows), 1)
                for place, row in enumerate(rows):
                    answer = self.server.table(name, sort=order, page_size=1, place_of=f"{key}:eq:{row[key]}")[1]
                    self.assertEqual(answer["place"], place, (name, order))
        rows, _ = self.server.table("kernels", filter="kernel_name:contains:relu", page_size=1000)
        answer = self.server.table("kernels", filter="kernel_name:contains:relu", page_size=1,
                                   place_of=f"correlation:eq:{rows[3]['correlation']}")[1]
        self.assertEqual((answer["place"], answer["rows_matching"]), (3, len(rows)))
        for missing in ({"place_of": "correlation:eq:12345"}, {}):
            self.assertNotIn("place", self.server.table("kernels", **missing)[1])
        self.assertEqual(self.server.error("/profiles/0/tables/kernels", place_of="none:eq:1")[0], 400)

    def test_bad_parameters(self):
        table = "/profiles/0/tables/detailed"
        for query in ({"none": 1}, {"page": -1}, {"page": "x"}, {"page_size": 0}, {"page_size": 1001}, {"by_rank": "maybe"}, {"format": "xml"}, {"download": "xml"}, {"iter_start": "x"},
                      {"iter_start": 3, "iter_stop": 1}, {"iter_stop": 1000}, {"key_op": "none"},
                      {"iteration_range": "none"}, {"key_op": "aten::relu", "iteration_range": "*"},
                      {"iter_start": "99999999999999999999"}):
            status, error = self.server.error(table, **query)
            self.assertEqual((status, error["code"]), (400, "bad_request"), query)
        for code, query in (("wrong_sort", {"sort": "none"}), ("wrong_sort", {"sort": "calls:up"}),
                            ("wrong_filter", {"filter": "calls"}), ("wrong_filter", {"filter": "calls:is:1"}),
                            ("wrong_filter", {"filter": "none:eq:1"}), ("wrong_filter", {"filter": "calls:eq:x"}),
                            ("wrong_filter", {"filter": "tc_eligible:eq:perhaps"}),
                            ("wrong_filter", {"filter": ["calls:eq:1"] * 17})):
            status, error = self.server.error(table, **query)
            self.assertEqual((status, error["code"]), (400, code), query)
        for path in ("/profiles/0/tables/none", "/profiles/7/info", "/profiles/x/info", "/none"):
            status, error = self.server.error(path)
            self.assertEqual((status, error["code"]), (404, "not_found"), path)


if __name__ == "__main__":
    unittest.main()
