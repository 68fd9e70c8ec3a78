"""opsight mcp as a client sees it: the protocol, what the tools say, and what they do not reach."""

import json
import os
import shutil
import subprocess
import unittest

import mcp_client
import opsight_cli
import tiny_trace

# Runs for hours unless it is stopped.
ENDLESS = "SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE hash(a.range, b.range) = 1"


class Mcp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = opsight_cli.temporary_folder()
        cls.profile = opsight_cli.Profile(tiny_trace.write(cls.folder))
        cls.path = os.path.join(cls.folder, "run.opsight")
        shutil.copy(cls.profile.path, cls.path)

    def client(self, *arguments, **options):
        return mcp_client.Client(*(arguments or (self.path,)), **options)

    def test_the_newest_version_that_both_speak(self):
        for asked, told in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"),
                            ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")):
            with self.client(version=asked) as client:
                self.assertEqual(client.began["protocolVersion"], told)
                self.assertEqual(client.began["serverInfo"]["name"], "opsight")
                self.assertIn("tools", client.began["capabilities"])
            self.assertEqual(client.code, 0)

    def test_tools_say_what_they_take(self):
        with self.client() as client:
            tools = {tool["name"]: tool for tool in client.request("tools/list")["tools"]}
        self.assertEqual(set(tools), {"summary", "findings", "top", "timeline", "schema", "sql"})
        for tool in tools.values():
            schema = tool["inputSchema"]
            self.assertEqual(schema["type"], "object")
            self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
            self.assertTrue(tool["annotations"]["readOnlyHint"])
        self.assertEqual(tools["sql"]["inputSchema"]["properties"]["run"]["enum"], ["run"])

    def test_numbers_are_those_of_the_reports(self):
        with self.client() as client:
            top = client.ask("top", of="kernels", limit=1, explain=True)
            summary = client.ask("summary")
            findings = client.ask("findings")
        wanted = self.profile.report("kernel_name")["kernel_name"]
        self.assertEqual(top["kernels"][0]["total_gpu_time_ns"], wanted[0]["total_gpu_time_ns"])
        self.assertEqual(len(top["kernels"]) + top.get("kernels_left_out", 0), len(wanted))
        self.assertIn("total_gpu_time_ns", top["meanings"])
        (told,), numbers = summary["report"]["summary"], self.profile.report("summary")["summary"]
        self.assertEqual(told, {key: numbers[key] for key in told})
        self.assertIsNone(told["io_pct"], "not recorded")
        self.assertIn("tensor_core_efficiency_low_pct", told)
        self.assertEqual(summary["profile"]["counts"][0]["ops"], self.profile.value("SELECT count(*) FROM ops"))
        told = json.loads(opsight_cli.run("advise", self.profile.path, "--json").stdout)
        self.assertEqual([each["title"] for each in findings["findings"]],
                         [each["title"] for each in told["findings"]])

    def test_a_window_of_the_timeline(self):
        with self.client() as client:
            whole = client.ask("timeline", limit=200)
            first = whole["longest_events"][0]
            window = client.ask("timeline", begin_ns=first["begin_ns"], end_ns=first["begin_ns"] + first["dur_ns"])
            wrong, failed = client.call("timeline", begin_ns=10, end_ns=5)
        kernels = sum(each["count"] for each in whole["names"] if "kernel" in each["kind"])
        self.assertEqual(kernels, self.profile.value("SELECT count(*) FROM kernels"))
        busiest = max(whole["longest_events"], key=lambda each: each["dur_ns"])
        self.assertEqual(busiest["dur_ns"], max(each["longest_ns"] for each in whole["names"]))
        self.assertIn(first["name"], [each["name"] for each in window["names"]])
        self.assertTrue(failed and "begin_ns" in wrong, wrong)

    def test_sql_reads_this_run_and_nothing_else(self):
        other = os.path.join(self.folder, "other.csv")
        with open(other, "w", encoding="utf-8") as file: file.write("a\n1\n")
        with self.client() as client:
            self.assertEqual(client.ask("sql", query="SELECT count(*) AS n FROM ops")["rows"],
                             [{"n": self.profile.value("SELECT count(*) FROM ops")}])
            views = client.ask("schema")["views"]
            self.assertIn("kernels", [view["name"] for view in views])
            for query in (f"SELECT * FROM '{other}'", f"FROM read_text('{other}')", f"ATTACH '{other}'",
                          f"COPY ops TO '{other}2'", "CREATE TABLE t AS SELECT 1", "DELETE FROM raw.ops",
                          "SET enable_external_access = true", "INSTALL httpfs", "no such thing", "SELECT 1; SELECT 2"):
                said, failed = client.call("sql", query=query)
                self.assertTrue(failed, f"{query}: {said}")
        self.assertFalse(os.path.exists(other + "2"))

    def test_answers_are_bounded(self):
        with self.client() as client:
            many = client.ask("sql", query="SELECT range AS i, repeat('x', 3000) AS t FROM range(100000)", limit=1000)
            client.start("tools/call", name="sql", arguments={
                "query": "SELECT range AS i, repeat('é', 3000) AS t FROM range(5000)", "limit": 1000})
            self.assertLess(len(client.program.stdout.readline()), 100_000)
        self.assertIn("more_rows", many)
        self.assertEqual(len(many["rows"]) + many["rows_left_out"], 1000)
        self.assertIn("3000 bytes", many["rows"][0]["t"])

    def test_long_questions_end(self):
        with self.client(self.path, "--time-limit", "0.3") as client:
            said, failed = client.call("sql", query=ENDLESS)
            self.assertTrue(failed and "0.3 s" in said, said)
            self.assertEqual(client.ask("sql", query="SELECT 1 AS one")["rows"], [{"one": 1}])

    def test_a_question_can_be_withdrawn(self):
        with self.client() as client:
            endless = client.start("tools/call", name="sql", arguments={"query": ENDLESS})
            self.assertEqual(client.request("ping"), {})
            waits = client.start("tools/call", name="sql", arguments={"query": "SELECT 2 AS two"})
            client.notify("notifications/cancelled", requestId=waits)
            client.notify("notifications/cancelled", requestId=endless)
            self.assertEqual(client.ask("sql", query="SELECT 1 AS one")["rows"], [{"one": 1}], "the only answer")

    def test_what_is_wrong_gets_the_errors_of_the_protocol(self):
        with self.client() as client:
            for text, code in (("{", -32700), ("[]", -32600), ("3", -32600), ('{"jsonrpc":"2.0","id":1}', -32600),
                               ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                               ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                               ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
                               ("[" * 200_000, -32700), ('"' + "x" * 2_000_000 + '"', -32600)):
                client.write(text)
                self.assertEqual(client.read()["error"]["code"], code, text[:80])
            self.assertEqual(client.request("resources/list")["code"], -32601)
            self.assertEqual(client.request("tools/call", name="rm")["code"], -32602)
            self.assertEqual(client.request("tools/call")["code"], -32602)
            self.assertEqual(client.request("tools/list", cursor="x")["code"], -32602)
            client.notify("notifications/unheard-of")
            client.write('{"jsonrpc":"2.0","id":7,"result":{}}')
            client.write("")
            self.assertEqual(client.request("ping"), {})

    def test_wrong_arguments_are_told_to_the_model(self):
        with self.client() as client:
            for tool, arguments, word in (("top", {}, "'of'"), ("top", {"of": "sins"}, "op_types"),
                                          ("top", {"of": "ops", "limit": 0}, "limit"),
                                          ("top", {"of": "ops", "limit": "many"}, "limit"),
                                          ("top", {"of": "ops", "sort": "no_such"}, "no_such"),
                                          ("sql", {"query": "SELECT 1", "file": "/etc/passwd"}, "'file'"),
                                          ("summary", {"run": "/etc/passwd"}, "'run'"),
                                          ("summary", {"iter_start": 99, "iter_stop": 3}, "iter")):
                said, failed = client.call(tool, **arguments)
                self.assertTrue(failed and word in said, f"{tool} {arguments}: {said}")

    def test_a_batch_is_answered_together(self):
        with self.client(version="2025-03-26") as client:
            client.write(json.dumps([{"jsonrpc": "2.0", "id": "a", "method": "ping"},
                                     {"jsonrpc": "2.0", "method": "notifications/initialized"},
                                     {"jsonrpc": "2.0", "id": "b", "method": "tools/call",
                                      "params": {"name": "sql", "arguments": {"query": "SELECT 1"}}}]))
            self.assertEqual([each["id"] for each in client.read()], ["a", "b"])

    def test_all_that_was_asked_is_answered_at_the_end_of_the_input(self):
        asked = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": "sql", "arguments": {"query": f"SELECT {number}"}}}) + "\n" for number in range(5))
        done = subprocess.run([opsight_cli.PROGRAM, "mcp", self.path], input=asked, text=True, capture_output=True,
                              check=True)
        self.assertEqual([json.loads(line)["id"] for line in done.stdout.splitlines()], list(range(5)))

    def test_two_runs_can_be_compared_and_networks_estimated(self):
        other = os.path.join(self.folder, "sub")
        os.makedirs(other, exist_ok=True)
        shutil.copy(self.path, other)
        model = os.path.join(opsight_cli.HERE, "fuzz", "models", "model.onnx")
        with self.client(self.path, os.path.join(other, "run.opsight"), "--model", model) as client:
            compared = client.ask("compare", base="run", new="run-2")
            estimate = client.ask("estimate", device="t4", batch=4)
            said, failed = client.call("estimate", device="no-such-device")
        self.assertEqual((compared["base"], compared["new"]), ("run", "run-2"))
        self.assertIn(compared["verdict"], ("equal", "too few iterations"), compared["answer"])
        self.assertTrue(estimate["costliest_layers"])
        self.assertTrue(failed and "no-such-device" in said, said)

    def test_a_run_that_is_written_anew_is_read_anew(self):
        path = os.path.join(self.folder, "changing.opsight")
        shutil.copy(self.path, path)
        with self.client(path) as client:
            client.ask("timeline")
            os.unlink(path)
            said, failed = client.call("summary")
            self.assertTrue(failed, said)
            shutil.copy(self.path, path)
            client.ask("summary")
            client.ask("timeline")

    def test_bad_files_are_refused_at_the_start(self):
        for arguments, code in ((("no_such.opsight",), 1), ((), 2), ((self.path, "--model", "no_such.onnx"), 1)):
            done = opsight_cli.run("mcp", *arguments, check=False, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)


if __name__ == "__main__":
    unittest.main()
