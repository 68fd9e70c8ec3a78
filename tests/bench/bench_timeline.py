#!/usr/bin/env python3
"""The timeline of the viewer on a profile of 10 million spans.

Windows: 8 clients on loopback, each in a process of its own, ask for all rows one after the other, without a pause:
tiles as the page does (512 pixels, begins and lengths of powers of two), narrow windows, wide ones (1500 pixels, one
in four of the whole run), and the whole run, never the same twice. Each kind is set against bare_http, which sends as
many bytes to as many clients and does nothing else. Beside heavy tables: while three more clients ask for tables that
were never asked before. Page: headless Chromium opens the timeline of a server that has just started, then moves
through it; times of frames are those between calls of requestAnimationFrame while it moves.
"""

import http.client
import json
import multiprocessing
import os
import random
import shutil
import statistics
import subprocess
import threading
import time
import urllib.parse

from bench_report import make_profile
from bench_tools import program, result

CLIENTS, QUESTIONS = 8, 120
WIDTH, TILE = 1500, 512
HERE = os.path.dirname(os.path.abspath(__file__))


class Server:
    def __init__(self, profile):
        self.process = subprocess.Popen([program("opsight"), "view", "--no-open", "-p", "0", profile],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.url)
        self.address = (parts.hostname, parts.port)
        self.headers = {"Authorization": "Bearer " + urllib.parse.parse_qs(parts.query)["token"][0]}

    def stop(self):
        self.process.terminate()
        self.process.wait()


def ask(connection, headers, path):
    connection.request("GET", "/api/v1/profiles/0/timeline/" + path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {body[:200]}")
    return body


def tile(chance, run):
    """A tile at a zoom of the page: begin, length and pixels."""
    whole = run["end_ns"] - run["begin_ns"]
    length = TILE << chance.randrange(0, max((whole // TILE).bit_length(), 1))
    return run["begin_ns"] // length * length + chance.randrange(0, whole // length + 1) * length, length, TILE


def wide(chance, run):
    whole = run["end_ns"] - run["begin_ns"]
    share = 1.0 if chance.random() < 0.25 else 10 ** chance.uniform(-6, 0)
    length = max(int(whole * share), WIDTH)
    return run["begin_ns"] + int((whole - length) * chance.random()), length, WIDTH


def narrow(chance, run):
    length = int(10 ** chance.uniform(4, 7))  # 10 us to 10 ms
    return run["begin_ns"] + int((run["end_ns"] - run["begin_ns"] - length) * chance.random()), length, WIDTH


def whole_run(chance, run):
    """Never the same twice, so that no answer was given before."""
    whole = run["end_ns"] - run["begin_ns"]
    return run["begin_ns"] - chance.randrange(whole // 1000), whole + whole // 1000, WIDTH


KINDS = (("tiles", tile), ("narrow windows", narrow), ("wide windows", wide), ("the whole run", whole_run))


def client(number, choose, address, headers, times):
    """Asks its windows and leaves (seconds, bytes) of each."""
    chance = random.Random(number)
    connection = http.client.HTTPConnection(*address)
    run = json.loads(ask(connection, headers, "tracks"))
    tracks = ",".join(str(track["id"]) for track in run["tracks"] if track["kind"] != "counter")
    found = []
    for _ in range(QUESTIONS):
        begin, length, width = choose(chance, run)
        path = f"window?tracks={tracks}&begin={begin}&end={begin + length}&width={width}&format=binary"
        start = time.perf_counter()
        body = ask(connection, headers, path)
        found.append((time.perf_counter() - start, len(body)))
    times.put(found)


def quantile(values, part):
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def at_once(target, each):
    """What the clients leave that run target(number, *arguments, queue) at the same time."""
    times = multiprocessing.Queue()
    clients = [multiprocessing.Process(target=target, args=(i, *arguments, times)) for i, arguments in enumerate(each)]
    for one in clients:
        one.start()
    found = [times.get() for _ in clients]
    for one in clients:
        one.join()
    return found


def bare_client(_, port, sizes, times):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    found = []
    for size in sizes:
        start = time.perf_counter()
        connection.request("GET", f"/{size}")
        connection.getresponse().read()
        found.append(time.perf_counter() - start)
    times.put(found)


def bare(sizes):
    """Seconds that the same bytes take without any work, for each of the lists of sizes."""
    with subprocess.Popen([program("bare_http")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        port = int(server.stdout.readline())
        found = at_once(bare_client, [(port, each) for each in sizes])
        server.stdin.close()
    return [seconds for each in found for seconds in each]


def windows_of(server, name, choose):
    found = at_once(client, [(choose, server.address, server.headers)] * CLIENTS)
    seconds = [one[0] for each in found for one in each]
    floor = bare([[one[1] for one in each] for each in found])
    result(f"timeline: {name}, {CLIENTS} clients, p50", statistics.median(seconds) * 1000, "ms")
    result(f"timeline: {name}, {CLIENTS} clients, p95", quantile(seconds, 0.95) * 1000, "ms", "<= 50")
    result(f"timeline: {name}, p95, against bare_http", quantile(seconds, 0.95) / quantile(floor, 0.95), "x")
    result(f"timeline: {name}, largest", max(one[1] for each in found for one in each) / 1e6, "MB")


def ask_for_tables(server, stop):
    """Tables by pages and ranges that nobody asked for before, until `stop`."""
    chance, connection = random.Random(), http.client.HTTPConnection(*server.address)
    while not stop.is_set():
        first = chance.randrange(500)
        table = chance.choice(["detailed", "kernel", "group_op", "kernels"])
        path = f"/api/v1/profiles/0/tables/{table}?iter_start={first}&iter_stop={first + 500}&page={chance.randrange(9)}"
        connection.request("GET", path, headers=server.headers)
        connection.getresponse().read()


def windows(profile):
    server = Server(profile)
    start = time.perf_counter()
    connection = http.client.HTTPConnection(*server.address)
    tracks = json.loads(ask(connection, server.headers, "tracks"))["tracks"]
    result("timeline: from the server's start to the list of tracks", time.perf_counter() - start, "s", "<= 1")
    result("timeline: spans", sum(track["spans"] for track in tracks if track["kind"] != "counter"), "", ">= 10000000")
    for name, choose in KINDS:
        windows_of(server, name, choose)
    stop = threading.Event()
    heavy = [threading.Thread(target=ask_for_tables, args=(server, stop)) for _ in range(3)]
    for each in heavy:
        each.start()
    windows_of(server, "tiles beside heavy tables", tile)
    stop.set()
    for each in heavy:
        each.join()
    server.stop()


def page(profile):
    chromium = os.environ.get("OPSIGHT_CHROMIUM") or shutil.which("chromium")
    node = shutil.which("node")
    if not chromium or not node:
        print("SKIPPED: the page's times need chromium and node")
        return
    for size in ((1280, 720), (1920, 1080)):
        server = Server(profile)
        run = subprocess.run([node, os.path.join(HERE, "timeline_page.mjs"), chromium, server.url, *map(str, size)],
                             capture_output=True, text=True, check=False)
        server.stop()
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        times = json.loads(run.stdout)
        name = f"timeline, {size[0]}x{size[1]}"
        result(f"{name}: first picture", times["first_ms"] / 1000, "s", "<= 1")
        result(f"{name}: frames while it moves", len(times["between_ms"]), "")
        result(f"{name}: frame to frame, p50", quantile(times["between_ms"], 0.5), "ms", "<= 17")
        result(f"{name}: frame to frame, p95", quantile(times["between_ms"], 0.95), "ms", "<= 34")
        result(f"{name}: drawing a frame, p95", quantile(times["drawing_ms"], 0.95), "ms", "<= 16")


def main():
    profile = os.environ.get("BENCH_PROFILE") or make_profile()
    windows(profile)
    page(profile)


if __name__ == "__main__":
    main()
