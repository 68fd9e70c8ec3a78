#!/usr/bin/env python3
"""Answers of `opsight view` on a profile of 10 million spans, asked by 8 clients at once.

Each client asks in an order of its own, over a connection that stays open. The first answer of a table costs its
working out, and is told apart; answers that were given before come from the server's memory. Times are those that
a client waits.
"""

import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.parse

from bench_tools import FOLDER, measured, program, result, scaled, trace_of_corpus

SOURCE = "hta/nccl_parser_config__nccl_data.json.gz"
MEGABYTES = 3660  # 10 million spans
CLIENTS, ROUNDS = 8, 12
ADDRESSES = {
    "info": "info",
    "summary": "summary",
    "ops, page": "tables/detailed?page_size=50&page=1",
    "ops, sorted": "tables/detailed?sort=median_cpu_time_ns:desc",
    "ops, searched": "tables/detailed?search=backward",
    "op types": "tables/op_type",
    "layers": "layers",
    "kernels, page": "tables/kernel",
    "kernel instances, page": "tables/kernels?page_size=50&page=2",
    "iterations": "iterations",
    "GPUs": "gpus",
    "summary of a range": "summary?iter_start=100&iter_stop=200",
}
# Each asker with other numbers, so that no answer was given before.
VARIED = {"ops, any page": "tables/detailed?page_size=50&page={0}&sort=calls:desc",
          "kernels, any search": "tables/kernel?search={0}",
          "kernel instances, any page": "tables/kernels?page_size=50&page={0}",
          "GPUs, any range": "gpus?iter_start={0}&iter_stop={1}"}
SLOW = {"kernel instances, searched": "tables/kernels?search=elementwise&page_size=50",
        "kernel instances, filtered": "tables/kernels?filter=gpu_duration_ns:gt:100000&page_size=50"}


def make_profile():
    trace = scaled(trace_of_corpus(SOURCE), "view.json", int(os.environ.get("BENCH_MEGABYTES", MEGABYTES)))
    profile = os.path.join(FOLDER, "view.opsight")
    measured([program("opsight"), "import", trace, "-o", profile])
    os.unlink(trace)
    return profile


class Client:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)

    def ask(self, path, method="GET", body=None):
        """Milliseconds until the whole answer is here, and the answer."""
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"}
        begin = time.monotonic()
        self.connection.request(method, "/api/v1/profiles/0/" + path, body=body, headers=headers)
        answer = self.connection.getresponse()
        text = answer.read()
        waited = (time.monotonic() - begin) * 1000
        if answer.status not in (200, 201):
            sys.exit(f"{path}: {answer.status} {text[:300]}")
        return waited, text


def share(times, part):
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]


def crowd(url, addresses, rounds):
    """What each address took when all clients ask at once; {0} and {1} in one stand for numbers, the first lower."""
    times = {name: [] for name in addresses}
    lock = threading.Lock()

    def run(seed):
        client, order, dice = Client(url), list(addresses) * rounds, random.Random(seed)
        dice.shuffle(order)
        for name in order:
            first = dice.randrange(500)
            waited, _ = client.ask(addresses[name].format(first, first + dice.randrange(100)))
            with lock:
                times[name].append(waited)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def measure(url):
    first = Client(url)
    for name, path in {**ADDRESSES, **SLOW}.items():
        result(f"{name}: first answer", first.ask(path)[0], "ms")
    for wish in ({"iter_start": 300, "iter_stop": 400}, {"key_op": "Optimizer.step#SGD.step"}):
        waited, made = first.ask("aggregations", "POST", json.dumps(wish))
        result(f"re-aggregation, {json.loads(made)['name']}", waited, "ms", "<= 1000")
    for addresses, what in ((ADDRESSES, "asked before"), (VARIED, "never asked")):
        for name, times in crowd(url, addresses, ROUNDS).items():
            result(f"8 clients, {what}, {name}: p50", share(times, 0.5), "ms")
            result(f"8 clients, {what}, {name}: p95", share(times, 0.95), "ms", "<= 50" if addresses is ADDRESSES else "-")


def main():
    profile = make_profile()
    info = json.loads(measured([program("opsight"), "info", profile, "--json"]).output)
    spans = sum(info["counts"][kind] for kind in ("kernels", "memcpys", "memsets", "api_calls", "ops", "annotations"))
    result("spans in the profile", spans, "")
    server = subprocess.Popen([program("opsight"), "view", "--no-open", "-p", "0", profile], stdout=subprocess.PIPE,
                              text=True)
    try:
        measure(server.stdout.readline().strip())
        with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="ascii") as file:
            answering = file.read().split()[0]
        with open(f"/proc/{answering}/status", encoding="utf-8") as file:
            peak = [int(line.split()[1]) for line in file if line.startswith("VmHWM")][0]
        result("peak memory of the server", peak / 1024, "MiB")
    finally:
        server.terminate()
        server.wait(timeout=60)


if __name__ == "__main__":
    main()
