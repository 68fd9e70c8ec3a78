"""Starts `opsight view` for tests and talks to it, with requests as a browser or an attacker makes them."""

import http.client
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.parse

import opsight_cli


class Server:
    """A running viewer. Use as a context, or call stop()."""

    def __init__(self, *paths, options=("--no-open", "-p", "0"), cwd=None):
        self._told = tempfile.TemporaryFile("a+b")  # appended to, so that reading does not move where it writes
        self.process = subprocess.Popen([opsight_cli.PROGRAM, "view", *options, *map(str, paths)], text=True,
                                        stdout=subprocess.PIPE, stderr=self._told, cwd=cwd)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            self.process.communicate(timeout=30)
            raise AssertionError(f"opsight view ended with {self.process.returncode}: {self.errors}")
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]
        self.cookie = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGINT):
        """Ends the server as Ctrl-C does; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.communicate(timeout=60)
        if not self._told.closed:
            self._last_errors = self.errors
            self._told.close()
        return self.process.returncode

    @property
    def errors(self):
        """What it has told on stderr so far."""
        return self._last_errors if self._told.closed else os.pread(self._told.fileno(), 1 << 20, 0).decode()

    def tells(self, text, seconds=60):
        """Whether it tells this on stderr; waits for it."""
        until = time.monotonic() + seconds
        while text not in self.errors and time.monotonic() < until:
            time.sleep(0.05)
        return text in self.errors

    def answering(self):
        """The process that answers: `opsight view` watches it, and starts another where it crashes."""
        parent = self.process.pid
        with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
            return int(file.read().split()[0])

    def ask(self, path, method="GET", headers=None, body=None, with_token=True):
        """Status, headers and body of an answer; one connection for each question."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        sent = {"Authorization": "Bearer " + self.token} if with_token else {}
        sent.update(headers or {})
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        got = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return got

    def log_in(self):
        """The cookie that a browser gets for the first URL."""
        _, headers, _ = self.ask("/?token=" + self.token, with_token=False)
        return headers["Set-Cookie"].split(";")[0]

    def json(self, path, **query):
        """The answer under /api/v1; lists repeat a parameter."""
        text = urllib.parse.urlencode(query, doseq=True)
        status, _, body = self.ask("/api/v1" + path + ("?" + text if text else ""))
        if status != 200:
            raise AssertionError(f"{path}?{text}: {status} {body.decode()}")
        return json.loads(body)

    def error(self, path, **query):
        """Status and error of an answer that must be one."""
        text = urllib.parse.urlencode(query, doseq=True)
        status, headers, body = self.ask("/api/v1" + path + ("?" + text if text else ""))
        if status < 400 or headers["Content-Type"] != "application/json":
            raise AssertionError(f"{path}?{text}: {status}, no error: {body[:200]}")
        error = json.loads(body)["error"]
        if sorted(error) != ["code", "message", "remedy"] or not error["message"]:
            raise AssertionError(f"{path}: no error as promised: {error}")
        return status, error

    def table(self, name, profile="0", **query):
        """A table's rows as objects, with the answer itself."""
        answer = self.json(f"/profiles/{profile}/tables/{name}", **query)
        keys = [column["key"] for column in answer["columns"]]
        return [dict(zip(keys, row)) for row in answer["rows"]], answer
