#!/usr/bin/env python3
"""Counts what a Kineto trace holds, in the plainest way: json.load, one loop, no cleverness.

It is the yardstick for the importer and the attribution, so it shares nothing with them. Times become
integer nanoseconds from their text, so that no digit is lost.

    count_trace.py TRACE.json[.gz] | TRACES.tar.gz     prints the counts as JSON
"""

import bisect
import collections
import gzip
import json
import os
import sys
import tarfile

# Category spellings of all generations, 2020 to 2026.
KERNEL = {"kernel", "Kernel"}
MEMCPY = {"gpu_memcpy", "Memcpy"}
MEMSET = {"gpu_memset", "Memset"}
OP = {"cpu_op", "Operator"}
ANNOTATION = {"user_annotation"}
API = {"cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime"}
PYTHON = {"python_function"}
# Scopes that PyTorch up to 1.11 filed under operators, later under user_annotation.
SCOPES = ("ProfilerStep#", "Optimizer.step#", "Optimizer.zero_grad#", "enumerate(DataLoader)#",
          "enumerate(DataPipe)#")

Span = collections.namedtuple("Span", "begin dur name where order args")


def read_documents(path):
    """The JSON texts in a file: one, or every member of a tar."""
    if path.endswith(".tar.gz"):
        with tarfile.open(path) as tar:
            for member in tar:
                if member.isfile():
                    yield unpack(tar.extractfile(member).read())
    else:
        with open(path, "rb") as file:
            yield unpack(file.read())


def unpack(data):
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def to_ns(microseconds):
    """From the text of the number, so that no digit is lost."""
    whole, _, decimals = str(microseconds).partition(".")
    if len(decimals) > 3 or not (decimals or "0").isdigit():
        raise ValueError(f"not a plain time of 1 ns or coarser: {microseconds}")
    ns = int(decimals.ljust(3, "0")) if decimals else 0
    return int(whole) * 1000 + (-ns if whole.startswith("-") else ns)


class Trace:
    """The complete events of one trace file, by what they are. Times are ns since the epoch of its clock."""

    def __init__(self, text):
        document = json.loads(text, parse_float=str)
        header = {} if isinstance(document, list) else document
        events = document if isinstance(document, list) else document["traceEvents"]
        self.rank = (header.get("distributedInfo") or {}).get("rank")
        self.base_ns = header.get("baseTimeNanoseconds", 0)
        self.declared_devices = header.get("deviceProperties") or []
        self.kernels, self.memcpys, self.memsets = [], [], []
        self.ops, self.annotations, self.api, self.python = [], [], [], []
        self.events = len(events)
        self.categories = collections.Counter()
        for order, event in enumerate(events):
            self.categories[event.get("ph"), event.get("cat")] += 1
            spans = self.list_of(event.get("cat"), event.get("name")) if event.get("ph") == "X" else None
            if spans is not None:
                where = (str(event["pid"]), str(event["tid"]))
                spans.append(Span(self.base_ns + to_ns(event["ts"]), to_ns(event["dur"]), event["name"], where,
                                  order, event.get("args") or {}))

    def list_of(self, category, name):
        if category in KERNEL:
            return self.kernels
        if category in MEMCPY:
            return self.memcpys
        if category in MEMSET:
            return self.memsets
        if category in OP:
            return self.annotations if name.startswith(SCOPES) else self.ops
        if category in ANNOTATION:
            return self.annotations
        if category in API:
            return self.api
        if category in PYTHON:
            return self.python
        if category == "mtia_ccp_events":  # Meta's accelerator: copies, and else kernels
            return self.memcpys if name == "dma_request" else self.kernels
        return None

    def device_work(self):
        return self.kernels + self.memcpys + self.memsets

    def devices_used(self):
        """By the device argument; where there is none, the row's pid is the device."""
        return {int(span.args.get("device", span.where[0])) for span in self.device_work()}

    def launches(self):
        """For each kernel, copy and set: (the span, its API call or None, the op that made it or None)."""
        calls = {}
        for call in self.api:
            correlation = call.args.get("correlation")
            if correlation is not None:
                calls.setdefault(correlation, []).append(call)
        for spans in calls.values():
            if len(spans) > 1:
                raise ValueError("two API calls with one correlation id: choose by hand")
        finder = OpFinder(self.ops)
        for span in self.device_work():
            found = calls.get(span.args.get("correlation"))
            call = found[0] if found else None
            yield span, call, finder.innermost(call.where, call.begin) if call else None

    def launches_without_work(self):
        """How many launches have no device work: not those inside another call, nor those that are captured."""
        launched = [call for _, call, _ in self.launches() if call]
        known = set(map(id, launched))
        count = 0
        for call in self.api:
            if not call.name.startswith(LAUNCH) or "Host" in call.name or id(call) in known:
                continue
            captured = sum(("BeginCapture" in other.name) - ("EndCapture" in other.name)
                           for other in self.api if other.where == call.where and other.begin <= call.begin)
            if captured <= 0 and not any(encloses(other, call) for other in self.api) and \
                    not any(encloses(call, other) for other in launched):
                count += 1
        return count


# Starts of the names of calls that launch kernels; those with "Host" in them launch functions of the host.
LAUNCH = ("cudaLaunch", "cuLaunch", "cudaGraphLaunch", "cuGraphLaunch", "hipLaunch", "hipModuleLaunch", "hipExtLaunch",
          "hipExtModuleLaunch", "hipDrvLaunch", "hipGraphLaunch")


def encloses(outer, inner):
    return outer is not inner and outer.where == inner.where and \
        outer.begin <= inner.begin and inner.begin + inner.dur <= outer.begin + outer.dur


class OpFinder:
    """Innermost op of a thread that is open at a time: walks back over all that began before."""

    def __init__(self, ops):
        self.threads = collections.defaultdict(list)
        for op in ops:
            self.threads[op.where].append(op)
        for ops_of_thread in self.threads.values():
            ops_of_thread.sort(key=lambda op: (op.begin, -op.dur, op.order))
        self.cache = {}

    def innermost(self, where, time):
        """The op with the latest begin among those with begin <= time < end (shorter, then later, first)."""
        key = where, time
        if key not in self.cache:
            ops = self.threads.get(where, [])
            self.cache[key] = None
            for op in reversed(ops[:bisect.bisect_right(ops, time, key=lambda candidate: candidate.begin)]):
                if time < op.begin + op.dur:
                    self.cache[key] = op
                    break
        return self.cache[key]


def sums_by_name(spans):
    """name -> (calls, sum of durations in ns)"""
    sums = {}
    for span in spans:
        calls, total = sums.get(span.name, (0, 0))
        sums[span.name] = (calls + 1, total + span.dur)
    return sums


def load(path):
    return [Trace(text) for text in read_documents(path)]


def trace_files(corpus):
    for folder, _, names in sorted(os.walk(os.path.join(corpus, "kineto"))):
        for name in sorted(names):
            if name.endswith((".json", ".json.gz", ".tar.gz")):
                yield os.path.join(folder, name)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    traces = load(sys.argv[1])
    kernels = [kernel for trace in traces for kernel in trace.kernels]
    matched = [(call, op) for trace in traces for _, call, op in trace.launches()]
    print(json.dumps({
        "events": sum(trace.events for trace in traces),
        "ranks": [trace.rank for trace in traces],
        "devices_declared": [len(trace.declared_devices) for trace in traces],
        "devices_used": [sorted(trace.devices_used(), key=str) for trace in traces],
        "kernels": len(kernels),
        "kernel_ns": sum(kernel.dur for kernel in kernels),
        "memcpys": sum(len(trace.memcpys) for trace in traces),
        "memsets": sum(len(trace.memsets) for trace in traces),
        "api_calls": sum(len(trace.api) for trace in traces),
        "ops": sum(len(trace.ops) for trace in traces),
        "annotations": sum(len(trace.annotations) for trace in traces),
        "python_frames": sum(len(trace.python) for trace in traces),
        "device_work_without_call": sum(call is None for call, _ in matched),
        "device_work_without_op": sum(op is None for call, op in matched),
    }, indent=1))


if __name__ == "__main__":
    main()
