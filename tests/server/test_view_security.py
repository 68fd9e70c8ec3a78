#!/usr/bin/env python3
"""`opsight view` against those who should get nothing, and those who send too much or too slowly."""

import http.client
import os
import shutil
import signal
import socket
import tempfile
import time
import unittest

import opsight_cli
import tiny_trace
from view_server import Server

API = "/api/v1/profiles"


class SecurityTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = opsight_cli.Profile(tiny_trace.write(opsight_cli.temporary_folder()))
        cls.server = Server(cls.profile.path)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def status(self, *arguments, **options):
        return self.server.ask(*arguments, **options)[0]

    def test_nothing_without_token(self):
        for path in ("/", API, API + "/0/info", "/assets/x.js", "/api/v1/none"):
            self.assertEqual(self.status(path, with_token=False), 401, path)
            self.assertEqual(self.status(path, with_token=False, headers={"Authorization": "Bearer " + "0" * 64}),
                             401, path)
        self.assertEqual(self.status("/?token=" + "0" * 64, with_token=False), 401)
        self.assertEqual(self.status(API + "?token=" + self.server.token, with_token=False), 401)

    def test_token_becomes_cookie(self):
        status, headers, _ = self.server.ask("/?token=" + self.server.token, with_token=False)
        self.assertEqual((status, headers["Location"]), (303, "/"))
        cookie = headers["Set-Cookie"]
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite=Strict", cookie)
        self.assertNotIn(self.server.token, cookie)
        value = cookie.split(";")[0]
        self.assertEqual(self.status(API, with_token=False, headers={"Cookie": "a=b; " + value}), 200)
        self.assertEqual(self.status(API, with_token=False, headers={"Cookie": value[:-1] + "g"}), 401)
        self.assertEqual(self.status(API, with_token=False, headers={"Cookie": value.split("=")[0] + "="}), 401)

    def test_secrets_differ_between_starts(self):
        with Server(self.profile.path) as other:
            self.assertNotEqual(other.token, self.server.token)
            self.assertEqual(other.ask(API, with_token=False, headers={"Cookie": self.server.log_in()})[0], 401)

    def test_host_names(self):
        for host in ("evil.example", "localhost.evil.example", "127.evil.example", "192.0.2.1", "", "[::2]:80"):
            self.assertEqual(self.status(API, headers={"Host": host}), 403, host)
        for host in ("localhost", "localhost:9000", f"127.0.0.1:{self.server.port}", "[::1]:8000"):
            self.assertEqual(self.status(API, headers={"Host": host}), 200, host)

    def test_pages_of_other_sites(self):
        own = f"http://127.0.0.1:{self.server.port}"
        for origin in ("http://evil.example", "null", "http://localhost", "https://127.0.0.1", own + "0"):
            self.assertEqual(self.status(API, headers={"Origin": origin}), 403, origin)
        self.assertEqual(self.status(API, headers={"Origin": own}), 200)
        self.assertEqual(self.status(API, headers={"Sec-Fetch-Site": "cross-site"}), 403)
        self.assertEqual(self.status(API, headers={"Sec-Fetch-Site": "same-site"}), 403)
        self.assertEqual(self.status(API, headers={"Sec-Fetch-Site": "same-origin"}), 200)
        _, headers, _ = self.server.ask(API)
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        status, headers, _ = self.server.ask(API, method="OPTIONS", headers={
            "Origin": "http://evil.example", "Access-Control-Request-Method": "GET"})
        self.assertEqual(status, 403)
        self.assertNotIn("Access-Control-Allow-Origin", headers)

    def test_headers_of_every_answer(self):
        for path, options in (("/", {}), (API, {}), (API + "/none", {}), ("/", {"with_token": False})):
            _, headers, _ = self.server.ask(path, **options)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertIn("script-src 'self';", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe-inline", policy.split("script-src")[1].split(";")[0])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")

    def test_no_path_from_a_url(self):
        for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/assets/../../../etc/passwd", "/etc/passwd.txt", API + "/..%2f0/info",
                     API + "/%2fetc%2fpasswd/info", API + "/0/tables/..%2f..%2fx"):
            _, _, body = self.server.ask(path)
            self.assertNotIn(b"root:", body, path)
            self.assertNotIn(os.path.dirname(self.profile.path).encode(), body, path)
        self.assertEqual(self.status("/etc/passwd.txt"), 404 if self.has_page() else 503)
        for number in ("1", "-1", "00000000000000000000001", "x", "0x0", "%00"):
            self.assertIn(self.status(f"{API}/{number}/info"), (400, 404), number)

    def has_page(self):
        return self.status("/") == 200

    def test_too_much(self):
        self.assertEqual(self.status(API + "?" + "a" * 40000), 431)
        self.assertEqual(self.status(f"{API}/0/tables/kernel?search=" + "a" * 9000), 414)
        self.assertEqual(self.status(API, method="POST", body="x" * 300_000), 413)
        self.assertEqual(self.status(API, headers={"X-Long": "a" * 40000}), 431)
        filters = "&".join(["filter=calls:gt:1"] * 20)
        self.assertEqual(self.status(f"{API}/0/tables/kernel?{filters}"), 400)
        self.assertEqual(self.status(API), 200)

    def test_what_is_no_http(self):
        for sent in (b"hello\r\n\r\n", b"GET\r\n\r\n", b"\x00" * 100 + b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"):
            with socket.create_connection((self.server.host, self.server.port), timeout=20) as connection:
                connection.sendall(sent)
                self.assertRegex(connection.recv(4096), rb"^HTTP/1\.[01] 400 |^$", sent)
        self.assertEqual(self.status(API), 200)

    def test_methods(self):
        for method in ("POST", "PUT", "DELETE", "TRACE", "PATCH"):
            self.assertEqual(self.status(API + "/0/info", method=method), 405, method)
        status, _, body = self.server.ask(API, method="HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertEqual(self.status(API, method="POST", body="{}", headers={"Content-Type": "text/plain"}), 415)

    def test_slow_clients_do_not_hold_others_up(self):
        slow = []
        for _ in range(60):
            connection = socket.create_connection((self.server.host, self.server.port), timeout=20)
            connection.sendall(b"GET /api/v1/profiles HTTP/1.1\r\nHost: loc")
            slow.append(connection)
        begin = time.monotonic()
        self.assertEqual(self.status(API), 200)
        self.assertLess(time.monotonic() - begin, 5)
        for connection in slow:
            connection.close()

    def test_a_client_that_reads_nothing(self):
        with socket.create_connection((self.server.host, self.server.port), timeout=20) as connection:
            ask = f"GET {API}/0/tables/kernel?format=csv HTTP/1.1\r\nHost: localhost\r\n" \
                  f"Authorization: Bearer {self.server.token}\r\n\r\n"
            connection.sendall(ask.encode())
        self.assertEqual(self.status(API), 200)

    def test_many_requests_on_one_connection(self):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=20)
        for _ in range(300):
            connection.request("GET", API, headers={"Authorization": "Bearer " + self.server.token})
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            answer.read()
        connection.close()


class LifeTest(unittest.TestCase):
    """Start and end of the program."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="opsight-view-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "a.opsight")
        opsight_cli.run("import", tiny_trace.write(self.folder), "-o", self.path)

    def test_ends_cleanly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = Server(self.path)
            with socket.create_connection((server.host, server.port), timeout=20):
                server.ask(API)
                self.assertEqual(server.stop(number), 0)

    def test_first_line_is_the_url(self):
        with Server(self.path) as server:
            self.assertRegex(server.url, r"^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{64}$")

    def test_next_free_port(self):
        with Server(self.path, options=("--no-open",)) as first, Server(self.path, options=("--no-open",)) as second:
            self.assertGreaterEqual(first.port, 8000)
            self.assertGreater(second.port, first.port)
            taken = opsight_cli.run("view", "--no-open", "-p", first.port, self.path, check=False)
            self.assertEqual(taken.returncode, 1)
            self.assertIn("port", taken.stderr)

    def test_refused_at_the_start(self):
        trace = tiny_trace.write(self.folder)
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        for arguments, code, text in (
                ((os.path.join(self.folder, "none.opsight"),), 1, "no such file"), ((trace,), 1, "looks like a trace"),
                ((empty,), 1, "holds no profile"), (("-b", "not.an.address", self.path), 2, "is not an IP address"),
                (("-p", "70000", self.path), 2, ""), ((), 2, "")):
            done = opsight_cli.run("view", "--no-open", *arguments, check=False)
            self.assertEqual(done.returncode, code, arguments)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_other_address_keeps_the_token(self):
        with Server(self.path, options=("--no-open", "-p", "0", "-b", "0.0.0.0")) as server:
            self.assertEqual(server.ask(API, with_token=False)[0], 401)
            self.assertEqual(server.ask(API, headers={"Host": "192.0.2.7:80"})[0], 200)
            self.assertEqual(server.ask(API, headers={"Host": "evil.example"})[0], 403)
            self.assertNotEqual(server.host, "0.0.0.0")
            self.assertEqual(server.ask(API)[0], 200)  # by the URL that was printed
            server.stop()
            self.assertIn("nothing that is sent is encrypted", server.errors)
        with Server(self.path) as server:
            server.stop()
            self.assertEqual(server.errors, "")

    def test_bad_profiles_are_told_at_the_start(self):
        bad = os.path.join(self.folder, "bad.opsight")
        shutil.copy(tiny_trace.write(self.folder), bad)
        with Server(self.folder) as server:
            self.assertTrue(server.tells("not shown: " + bad), server.errors)
            server.stop()
            self.assertIn("looks like a trace", server.errors)
            self.assertNotIn(self.path, server.errors)

    def test_many_profiles_are_not_all_kept_open(self):
        for i in range(60):
            os.link(self.path, os.path.join(self.folder, f"copy{i}.opsight"))
        with Server(self.folder) as server:
            states = {"reading"}
            for _ in range(600):  # the list says at once which are still being read
                if "reading" not in states:
                    break
                time.sleep(0.1)
                states = {p["state"] for p in server.json("/profiles")["profiles"]}
            self.assertEqual(states, {"ok"})
            files = f"/proc/{server.answering()}/fd"
            opened = [os.path.realpath(os.path.join(files, fd)) for fd in os.listdir(files)]
            self.assertLessEqual(len([path for path in opened if path.endswith(".opsight")]), 2)

    def test_read_only_writes_nothing(self):
        def state():
            return {name: (os.stat(os.path.join(self.folder, name)).st_mtime_ns,
                           os.stat(os.path.join(self.folder, name)).st_size) for name in os.listdir(self.folder)}
        before = state()
        with Server(self.path, options=("--no-open", "-p", "0", "--read-only")) as server:
            status, _, _ = server.ask(API + "/0/aggregations", "POST", {"Content-Type": "application/json"}, "{}")
            self.assertEqual(status, 201)
            for question in ("summary", "tables/detailed?sort=median_cpu_time_ns", "tables/kernels?search=a",
                             "timeline/tracks"):
                self.assertEqual(server.ask(f"{API}/0/{question}")[0], 200, question)
        self.assertEqual(state(), before)

    def test_states_of_profiles(self):
        shutil.copy(tiny_trace.write(self.folder), os.path.join(self.folder, "trace.opsight"))
        with open(self.path, "rb") as whole, open(os.path.join(self.folder, "cut.opsight"), "wb") as cut:
            cut.write(whole.read(20000))
        with Server(self.folder) as server:
            states = {p["name"]: p for p in server.json("/profiles")["profiles"]}
            self.assertEqual({n: p["state"] for n, p in states.items()}, {"a": "ok", "cut": "error", "trace": "error"})
            self.assertIn("truncated", states["cut"]["error"]["message"])
            self.assertIn("looks like a trace", states["trace"]["error"]["message"])
            status, error = server.error(f"/profiles/{states['trace']['id']}/info")
            self.assertEqual((status, error["code"]), (422, "not_a_profile"))
            self.assertEqual(states["cut"]["error"]["code"], "unreadable")

    def test_file_removed_while_serving(self):
        other = os.path.join(self.folder, "b.opsight")
        shutil.copy(self.path, other)
        with Server(self.path, other) as server:
            before = server.json("/profiles/0/info")
            os.unlink(self.path)
            os.unlink(other)
            self.assertEqual(server.json("/profiles/0/info"), before)
            status, error = server.error("/profiles/1/info")
            self.assertEqual((status, error["code"]), (422, "not_found"))
            self.assertIn("does not exist", error["message"])


if __name__ == "__main__":
    unittest.main()
