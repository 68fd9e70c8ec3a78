"""Plain reading of an export of Nsight Systems: SQL on the source and nothing else. Slow, and easy to check."""

import bisect
import collections
import re
import sqlite3

RANGE_TYPES = (59, 60, 70, 71)
MARK_TYPES = (34, 65)
OP = re.compile(r"^((?:aten|autograd|torch::autograd|c10d)::[^,]*|[^,]*), (?:seq|op_id) = \d+")


def clean(text):
    return "".join(" " if ord(c) < 32 else c for c in text)


def process(global_id):
    return (global_id or 0) >> 24 & 0xFFFFFF


def thread(global_id):
    return (global_id or 0) & 0xFFFFFF


class Source:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self.db.row_factory = sqlite3.Row
        self.db.text_factory = lambda raw: raw.decode("utf-8", "replace")
        names = self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.tables = {row[0] for row in names}
        self.strings = {row[0]: clean(row[1]) for row in self.rows("StringIds")}
        self.epoch = 0
        for row in self.rows("TARGET_INFO_SESSION_START_TIME"):
            self.epoch = row["utcEpochNs"] or 0

    def rows(self, table):
        return self.db.execute(f"SELECT * FROM {table}").fetchall() if table in self.tables else []

    def count(self, table, where="1"):
        if table not in self.tables:
            return 0
        return self.db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]

    @staticmethod
    def get(row, column, absent=None):
        value = row[column] if column in row.keys() else None
        return absent if value is None else value

    def call_rows(self):
        """Calls of the API: not the second rows around them (class 67) that hold their call chains."""
        rows = self.rows("CUPTI_ACTIVITY_KIND_RUNTIME")
        own = {(row["globalTid"], row["correlationId"]) for row in rows if self.get(row, "eventClass") != 67}
        return [row for row in rows
                if self.get(row, "eventClass") != 67 or (row["globalTid"], row["correlationId"]) not in own]

    def calls(self):
        for row in self.call_rows():
            name = re.sub(r"_v\d{4}$", "", self.strings[row["nameId"]])
            yield (row["start"], row["end"] - row["start"], name, process(row["globalTid"]),
                   thread(row["globalTid"]), self.get(row, "returnValue"))

    def kernels(self):
        for row in self.rows("CUPTI_ACTIVITY_KIND_KERNEL"):
            yield (row["start"], row["end"] - row["start"], row["deviceId"], self.get(row, "contextId", 0),
                   row["streamId"], self.strings[row["demangledName"]], row["gridX"], row["gridY"], row["gridZ"],
                   row["blockX"], row["blockY"], row["blockZ"], self.get(row, "registersPerThread"),
                   self.get(row, "staticSharedMemory"), self.get(row, "dynamicSharedMemory"))

    def transfers(self, table):
        for row in self.rows(table):
            yield row["start"], row["end"] - row["start"], row["deviceId"], row["streamId"], row["bytes"]

    def ranges(self):
        """(begin, end, text, pid, tid, domain) of ranges and marks."""
        domains = {(process(row["globalTid"]), row["domainId"]): self.text(row)
                   for row in self.rows("NVTX_EVENTS") if row["eventType"] == 75}
        for row in self.rows("NVTX_EVENTS"):
            if row["eventType"] in RANGE_TYPES + MARK_TYPES:
                pid = process(row["globalTid"])
                end = row["start"] if row["eventType"] in MARK_TYPES else row["end"]
                yield (row["start"], end, self.text(row), pid, thread(row["globalTid"]),
                       domains.get((pid, row["domainId"])))

    def text(self, row):
        return clean(row["text"]) if row["text"] is not None else self.strings[row["textId"]]

    def attribution(self):
        """For each kernel (start, device, stream): the name that its time counts for, by brute force."""
        by_thread = collections.defaultdict(list)
        for begin, end, text, pid, tid, _ in self.ranges():
            by_thread[pid, tid].append((begin, -end, text))
        for ranges in by_thread.values():
            ranges.sort()
        calls = collections.defaultdict(list)
        for row in self.call_rows():
            calls[process(row["globalTid"]), row["correlationId"]].append(row)
        for row in self.rows("CUPTI_ACTIVITY_KIND_KERNEL"):
            pid = process(self.get(row, "globalPid", 0))
            own = [call for call in calls[pid, row["correlationId"]] if call["start"] <= row["start"]]
            key = (row["start"], row["deviceId"], row["streamId"])
            if not own:
                yield key, "unattributed"
                continue
            call = max(own, key=lambda c: c["start"])
            ranges = by_thread[process(call["globalTid"]), thread(call["globalTid"])]
            upto = bisect.bisect_right(ranges, (call["start"], 0, ""))
            around = [text for begin, end, text in ranges[:upto] if -end > call["start"]]
            ops = [OP.match(text) for text in around]
            ops = [match.group(1) for match in ops if match]
            api = re.sub(r"_v\d{4}$", "", self.strings[call["nameId"]])
            yield key, ops[-1] if ops else around[-1] if around else "unassociated_" + api
