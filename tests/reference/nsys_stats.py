"""The reports of `nsys stats`, computed in plain SQL and Python from an Nsight Systems SQLite export.

Written apart from src/query/stats_*.cpp, from the definitions in docs/STATS.md; it reads the export's own tables
and knows no profile. A report is a list of rows, each a dict from column head to value; None: an empty field.
"""

import bisect
import collections
import re
import sqlite3
import statistics

COPIES = ("Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array",
          "Array-to-Device", "Device-to-Array", "Device-to-Device", "Host-to-Host", "Peer-to-Peer",
          "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device")
MEMORY = ("Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown")
Range = collections.namedtuple("Range", "id start end tid name style level children in_children parent")


class Export:
    """Rows of an export with every column that this file uses; None where the export has no such column."""

    def __init__(self, path, window=None):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.text_factory = lambda data: data.decode("utf-8", "replace")
        self.db.row_factory = sqlite3.Row
        self.tables = {row[0] for row in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.strings = {row[0]: row[1] for row in self.db.execute("SELECT id, value FROM StringIds")}
        self.window = window
        self._ranges = None

    def rows(self, table, columns):
        """Finished rows of a table, inside the window where there is one."""
        if table not in self.tables:
            return []
        there = {row[1] for row in self.db.execute(f"PRAGMA table_info({table})")}
        wanted = ", ".join(name if name in there else f"NULL AS {name}" for name in columns.split())
        rows = [row for row in self.db.execute(f"SELECT {wanted} FROM {table} ORDER BY rowid")
                if row["start"] is not None and row["end"] is not None and row["end"] >= row["start"]]
        if self.window:
            rows = [row for row in rows if row["end"] >= self.window[0] and row["start"] <= self.window[1]]
        return rows

    def api(self):
        out = []
        rows = self.rows("CUPTI_ACTIVITY_KIND_RUNTIME",
                         "start end globalTid correlationId nameId returnValue eventClass")
        # Second rows of calls, around them, hold call chains: no calls of their own (docs/STATS.md).
        own = {(row["globalTid"], row["correlationId"]) for row in rows if row["eventClass"] != 67}
        for row in rows:
            if row["eventClass"] == 67 and (row["globalTid"], row["correlationId"]) in own:
                continue
            out.append({**row, "name": re.sub(r"_v\d{4}$", "", self.strings[row["nameId"]])})
        return out

    def kernels(self):
        return [dict(row) for row in self.rows(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            "start end deviceId contextId streamId correlationId globalPid demangledName shortName mangledName "
            "gridX gridY gridZ blockX blockY blockZ registersPerThread staticSharedMemory dynamicSharedMemory "
            "greenContextId")]

    def memops(self):
        shared = "start end deviceId contextId streamId correlationId globalPid bytes greenContextId"
        out = []
        for row in self.rows("CUPTI_ACTIVITY_KIND_MEMCPY", shared + " copyKind srcKind dstKind"):
            out.append({**row, "name": f"[CUDA memcpy {COPIES[row['copyKind']]}]", "from": row["srcKind"],
                        "to": row["dstKind"], "set": False})
        for row in self.rows("CUPTI_ACTIVITY_KIND_MEMSET", shared + " memKind"):
            out.append({**row, "name": "[CUDA memset]", "from": row["memKind"], "to": None, "set": True})
        return out

    def launches(self, work):
        """Pairs of an API call and the work that it launched. Exports of 2022 have some calls twice, as the program
        made them and as the driver saw them: the inner one launches."""
        calls = collections.defaultdict(list)
        for call in self.api():
            calls[call["correlationId"]].append(call)
        for item in work:
            found = [call for call in calls.get(item["correlationId"], ())
                     if item["globalPid"] is None or item["globalPid"] >> 24 == call["globalTid"] >> 24]
            if found:
                yield max(found, key=lambda call: call["start"]), item

    def nvtx(self):
        """Finished ranges as (start, end, globalTid, endGlobalTid, label, style)."""
        everything = "eventType start end globalTid endGlobalTid domainId text textId"
        if "NVTX_EVENTS" not in self.tables:
            return []
        domains = {}
        for row in self.db.execute("SELECT * FROM NVTX_EVENTS WHERE eventType = 75"):
            domains[row["globalTid"] >> 24, row["domainId"]] = self.text(row)
        out = []
        for row in self.rows("NVTX_EVENTS", everything):
            if row["eventType"] in (59, 60, 70, 71):
                domain = domains.get((row["globalTid"] >> 24, row["domainId"]), "")
                out.append((row["start"], row["end"], row["globalTid"], row["endGlobalTid"],
                            f"{domain}:{self.text(row)}",
                            "PushPop" if row["eventType"] in (59, 70) else "StartEnd"))
        return out

    def text(self, row):
        if row["text"] is not None:
            return row["text"]
        return self.strings[row["textId"]] if row["textId"] is not None else ""

    def ranges(self):
        """Ranges that begin and end on one thread, with their place in its stack."""
        if self._ranges is None:
            one_thread = [r for r in self.nvtx() if not r[3] or r[3] == r[2] or r[5] == "PushPop"]
            self._ranges = nest((s, e, tid, label, style) for s, e, tid, _, label, style in one_thread)
        return self._ranges


def nest(ranges):
    """(start, end, thread, name, style) -> Range, with level, children and parent from one stack a thread."""
    made, stacks = [], collections.defaultdict(list)
    order = sorted(ranges, key=lambda r: (r[0], -r[1]))
    for number, (start, end, tid, name, style) in enumerate(order):
        parent = None
        stack = stacks[tid]
        if style == "PushPop":
            while stack and stack[-1]["end"] < end:
                stack.pop()
            parent = stack[-1] if stack else None
        item = {"id": number, "start": start, "end": end, "tid": tid, "name": name, "style": style,
                "level": len(stack) if style == "PushPop" else 0, "children": 0, "in_children": 0, "parent": parent}
        if parent:
            parent["children"] += 1
            parent["in_children"] += end - start
        if style == "PushPop":
            stack.append(item)
        made.append(item)
    return [Range(**item) for item in made]


def pid_of(global_id):
    return global_id >> 24 & 0xFFFFFF


def tid_of(global_id):
    return global_id & 0xFFFFFF


def spread(values):
    return {"avg": statistics.fmean(values), "med": statistics.median(values), "min": min(values),
            "max": max(values), "sd": statistics.stdev(values) if len(values) > 1 else 0.0}


def summary(items, count_head, label_heads):
    """items: (labels, duration) -> the rows of a nine-column summary."""
    groups = collections.defaultdict(list)
    for labels, duration in items:
        groups[labels].append(duration)
    total = sum(sum(values) for values in groups.values())
    rows = []
    for labels, values in groups.items():
        s = spread(values)
        rows.append({"Time (%)": 100 * sum(values) / total if total else 0, "Total Time (ns)": sum(values),
                     count_head: len(values), "Avg (ns)": s["avg"], "Med (ns)": s["med"], "Min (ns)": s["min"],
                     "Max (ns)": s["max"], "StdDev (ns)": s["sd"], **dict(zip(label_heads, labels))})
    return rows


def length(row):
    return row["end"] - row["start"]


def kernel_name(export, kernel, which="full"):
    if which == "mangled" and kernel["mangledName"] is not None:
        return export.strings[kernel["mangledName"]]
    return export.strings[kernel["shortName" if which == "base" else "demangledName"]]


def dimensions(kernel, what):
    return "{:4d} {:4d} {:4d}".format(*(kernel[what + axis] for axis in "XYZ"))


def api_operations(export):
    return [(("CUDA_API", call["name"]), length(call)) for call in export.api()]


def kernel_operations(export, which="full"):
    return [(("CUDA_KERNEL", kernel_name(export, k, which)), length(k)) for k in export.kernels()]


def memory_operations(export):
    return [(("MEMORY_OPER", m["name"]), length(m)) for m in export.memops()]


def cuda_api_sum(export):
    return summary([(labels[1:], ns) for labels, ns in api_operations(export)], "Num Calls", ["Name"])


def cuda_gpu_kern_sum(export, which="full"):
    return summary([(labels[1:], ns) for labels, ns in kernel_operations(export, which)], "Instances", ["Name"])


def cuda_gpu_kern_gb_sum(export):
    return summary([((dimensions(k, "grid"), dimensions(k, "block"), kernel_name(export, k)), length(k))
                    for k in export.kernels()], "Instances", ["GridXYZ", "BlockXYZ", "Name"])


def cuda_gpu_mem_time_sum(export):
    return summary([(labels[1:], ns) for labels, ns in memory_operations(export)], "Count", ["Operation"])


def cuda_gpu_mem_size_sum(export):
    groups = collections.defaultdict(list)
    for memop in export.memops():
        groups[memop["name"]].append(memop["bytes"] / 1e6)
    rows = []
    for name, sizes in groups.items():
        s = spread(sizes)
        rows.append({"Total (MB)": sum(sizes), "Count": len(sizes), "Avg (MB)": s["avg"], "Med (MB)": s["med"],
                     "Min (MB)": s["min"], "Max (MB)": s["max"], "StdDev (MB)": s["sd"], "Operation": name})
    return rows


def cuda_gpu_sum(export, which="full"):
    return summary(kernel_operations(export, which) + memory_operations(export), "Instances",
                   ["Category", "Operation"])


def cuda_api_gpu_sum(export):
    return summary(api_operations(export) + kernel_operations(export) + memory_operations(export), "Instances",
                   ["Category", "Operation"])


def cuda_api_trace(export):
    return [{"Start (ns)": c["start"], "Duration (ns)": length(c), "Name": c["name"], "Result": c["returnValue"],
             "CorrID": c["correlationId"], "Pid": pid_of(c["globalTid"]), "Tid": tid_of(c["globalTid"])}
            for c in export.api()]


def cuda_gpu_trace(export):
    rows = []
    for k in export.kernels():
        row = {"Start (ns)": k["start"], "Duration (ns)": length(k), "CorrId": k["correlationId"]}
        row.update({"Grd" + a: k["grid" + a] for a in "XYZ"}, **{"Blk" + a: k["block" + a] for a in "XYZ"})
        static, dynamic = k["staticSharedMemory"], k["dynamicSharedMemory"]
        rows.append({**row, "Reg/Trd": k["registersPerThread"],
                     "StcSMem (MB)": None if static is None else static / 1e6,
                     "DymSMem (MB)": None if dynamic is None else dynamic / 1e6, "Bytes (MB)": None,
                     "Throughput (MB/s)": None, "SrcMemKd": None, "DstMemKd": None, "Device": k["deviceId"],
                     "Strm": k["streamId"], "Name": kernel_name(export, k)})
    for m in export.memops():
        row = {"Start (ns)": m["start"], "Duration (ns)": length(m), "CorrId": m["correlationId"]}
        row.update({head: None for head in ("GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd",
                                            "StcSMem (MB)", "DymSMem (MB)")})
        rows.append({**row, "Bytes (MB)": m["bytes"] / 1e6,
                     "Throughput (MB/s)": m["bytes"] * 1e3 / length(m) if length(m) else None,
                     "SrcMemKd": None if m["from"] is None else MEMORY[m["from"]],
                     "DstMemKd": None if m["to"] is None else MEMORY[m["to"]], "Device": m["deviceId"],
                     "Strm": m["streamId"], "Name": m["name"]})
    return rows


def executions(export):
    """Each launch with the kernel that it started."""
    for call, kernel in export.launches(export.kernels()):
        queue = kernel["start"] - call["end"]
        yield call, kernel, {"t": max(call["end"], kernel["end"]) - call["start"], "a": length(call),
                             "q": queue if queue > 0 else None, "k": length(kernel)}


def cuda_kern_exec_sum(export):
    groups = collections.defaultdict(list)
    for call, kernel, times in executions(export):
        groups[pid_of(call["globalTid"]), tid_of(call["globalTid"]), kernel["deviceId"], call["name"],
               kernel_name(export, kernel)].append(times)
    rows = []
    for (pid, tid, device, api, name), found in groups.items():
        row = {"PID": pid, "TID": tid, "DevId": device, "Count": len(found),
               "QCount": sum(times["q"] is not None for times in found)}
        for phase in "taqk":
            values = [times[phase] for times in found if times[phase] is not None]
            s = spread(values) if values else dict.fromkeys(("avg", "med", "min", "max", "sd"))
            for head, key in (("Avg", "avg"), ("Med", "med"), ("Min", "min"), ("Max", "max"), ("StdDev", "sd")):
                row[f"{phase.upper()}{head} (ns)"] = s[key]
        rows.append({**row, "API Name": api, "Kernel Name": name})
    return rows


def cuda_kern_exec_trace(export):
    return [{"API Start (ns)": call["start"], "API Dur (ns)": length(call),
             "Queue Start (ns)": None if times["q"] is None else call["end"], "Queue Dur (ns)": times["q"],
             "Kernel Start (ns)": kernel["start"], "Kernel Dur (ns)": length(kernel), "Total Dur (ns)": times["t"],
             "PID": pid_of(call["globalTid"]), "TID": tid_of(call["globalTid"]), "DevId": kernel["deviceId"],
             "API Function": call["name"], "GridXYZ": dimensions(kernel, "grid"),
             "BlockXYZ": dimensions(kernel, "block"), "Kernel Name": kernel_name(export, kernel)}
            for call, kernel, times in executions(export)]


def nvtx_sum(export):
    return summary([((r[5], r[4]), r[1] - r[0]) for r in export.nvtx()], "Instances", ["Style", "Range"])


def ranges_of_style(export, style):
    return summary([((r[4],), r[1] - r[0]) for r in export.nvtx() if r[5] == style], "Instances", ["Range"])


def nvtx_pushpop_sum(export):
    return ranges_of_style(export, "PushPop")


def nvtx_startend_sum(export):
    return ranges_of_style(export, "StartEnd")


def nvtx_pushpop_trace(export):
    return [{"Start (ns)": r.start, "End (ns)": r.end, "Duration (ns)": r.end - r.start,
             "DurChild (ns)": r.in_children, "DurNonChild (ns)": r.end - r.start - r.in_children, "Name": r.name,
             "PID": pid_of(r.tid), "TID": tid_of(r.tid), "Lvl": r.level, "NumChild": r.children,
             "NameTree": "--" * r.level + r.name} for r in export.ranges() if r.style == "PushPop"]


def inside(export, work):
    """(range, work launched inside it)"""
    by_thread = collections.defaultdict(list)
    for call, item in export.launches(work):
        by_thread[call["globalTid"]].append((call["start"], call["end"], item))
    for calls in by_thread.values():
        calls.sort(key=lambda entry: entry[:2])
    starts = {thread: [entry[0] for entry in calls] for thread, calls in by_thread.items()}
    for r in export.ranges():
        calls = by_thread.get(r.tid, [])
        first = bisect.bisect_left(starts.get(r.tid, []), r.start)
        found = []
        for start, end, item in calls[first:]:
            if start > r.end:
                break
            if end <= r.end:
                found.append(item)
        if found:
            yield r, found


def projected(export):
    for r, work in inside(export, export.kernels() + export.memops()):
        yield r, min(w["start"] for w in work), max(w["end"] for w in work), len(work)


def nvtx_gpu_proj_trace(export):
    return [{"Name": r.name, "Projected Start (ns)": start, "Projected Duration (ns)": end - start,
             "Orig Start (ns)": r.start, "Orig Duration (ns)": r.end - r.start, "Style": r.style,
             "PID": pid_of(r.tid), "TID": tid_of(r.tid), "NumGPUOps": work, "Lvl": r.level, "NumChild": r.children}
            for r, start, end, work in projected(export)]


def nvtx_gpu_proj_sum(export):
    groups = collections.defaultdict(list)
    for r, start, end, work in projected(export):
        groups[r.name, r.style].append((r, end - start, work))
    rows = []
    for (name, style), found in groups.items():
        s = spread([time for _, time, _ in found])
        rows.append({"Range": name, "Style": style, "Total Proj Time (ns)": sum(time for _, time, _ in found),
                     "Total Range Time (ns)": sum(r.end - r.start for r, _, _ in found),
                     "Range Instances": len(found), "Proj Avg (ns)": s["avg"], "Proj Med (ns)": s["med"],
                     "Proj Min (ns)": s["min"], "Proj Max (ns)": s["max"], "Proj StdDev (ns)": s["sd"],
                     "Total GPU Ops": sum(work for _, _, work in found),
                     "Avg GPU Ops": statistics.fmean(work for _, _, work in found),
                     "Avg Range Lvl": statistics.fmean(r.level for r, _, _ in found),
                     "Avg Num Child": statistics.fmean(r.children for r, _, _ in found)})
    return rows


def nvtx_kern_sum(export, which="full"):
    groups = collections.defaultdict(list)
    for r, kernels in inside(export, export.kernels()):
        for kernel in kernels:
            groups[r.name, r.style, r.tid, kernel_name(export, kernel, which)].append((r.id, length(kernel)))
    rows = []
    for (name, style, tid, kernel), found in groups.items():
        s = spread([ns for _, ns in found])
        rows.append({"NVTX Range": name, "Style": style, "PID": pid_of(tid), "TID": tid_of(tid),
                     "NVTX Inst": len({number for number, _ in found}), "Kern Inst": len(found),
                     "Total Time (ns)": sum(ns for _, ns in found), "Avg (ns)": s["avg"], "Med (ns)": s["med"],
                     "Min (ns)": s["min"], "Max (ns)": s["max"], "StdDev (ns)": s["sd"], "Kernel Name": kernel})
    return rows


def osrt_sum(export):
    return summary([((export.strings[row["nameId"]],), length(row))
                    for row in export.rows("OSRT_API", "start end nameId")], "Num Calls", ["Name"])


def syscall_sum(export):
    return summary([((export.strings[row["nameId"]],), length(row))
                    for row in export.rows("SYSCALL", "start end nameId")], "Num Calls", ["Name"])


def mpi_calls(export):
    """(source, rank, row) of every call of MPI."""
    ranks = {}
    if "MPI_RANKS" in export.tables:
        ranks = {pid_of(row["globalTid"]): row["rank"] for row in export.db.execute("SELECT * FROM MPI_RANKS")}
    columns = "start end globalTid textId tag remoteRank rootRank size recvSize"
    for table, source in (("MPI_P2P_EVENTS", "p2p"), ("MPI_COLLECTIVES_EVENTS", "coll"),
                          ("MPI_START_WAIT_EVENTS", "startwait"), ("MPI_OTHER_EVENTS", "other")):
        for row in export.rows(table, columns):
            yield source, ranks.get(pid_of(row["globalTid"])), {**row, "name": export.strings[row["textId"]]}


def mpi_event_sum(export):
    return summary([((source, call["name"]), length(call)) for source, _, call in mpi_calls(export)], "Instances",
                   ["Source", "Name"])


def mpi_event_trace(export):
    return [{"Start (ns)": call["start"], "End (ns)": call["end"], "Duration (ns)": length(call),
             "Event": call["name"], "Pid": pid_of(call["globalTid"]), "Tid": tid_of(call["globalTid"]),
             "Tag": call["tag"], "Rank": rank, "PeerRank": call["remoteRank"], "RootRank": call["rootRank"],
             "Size": call["size"] if source == "p2p" else None,
             "CollSendSize": call["size"] if source == "coll" else None, "CollRecvSize": call["recvSize"]}
            for source, rank, call in mpi_calls(export)]


def mpi_msg_size_sum(export):
    groups = collections.defaultdict(list)
    for source, _, call in mpi_calls(export):
        for kind, size in ((source if source == "p2p" else "coll_send", call["size"]),
                           ("coll_recv", call["recvSize"])):
            if size is not None:
                groups[kind, call["name"]].append(size)
    rows = []
    for (source, name), sizes in groups.items():
        s = spread(sizes)
        rows.append({"Total Message Volume": sum(sizes), "Instances": len(sizes), "Avg": s["avg"], "Med": s["med"],
                     "Min": s["min"], "Max": s["max"], "StdDev": s["sd"], "Source": source, "Name": name})
    return rows


def migrations(export):
    """address -> bytes to the device, to the host, faults of CPU and GPU, ns"""
    sums = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    for row in export.rows("CUPTI_ACTIVITY_KIND_MEMCPY", "start end bytes copyKind virtualAddress"):
        if row["copyKind"] in (11, 12):
            entry = sums[row["virtualAddress"]]
            entry[row["copyKind"] - 11] += row["bytes"]
            entry[4] += length(row)
    if "CUDA_UM_CPU_PAGE_FAULT_EVENTS" in export.tables:
        for row in export.db.execute("SELECT address FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS"):
            sums[row["address"]][2] += 1
    for row in export.rows("CUDA_UM_GPU_PAGE_FAULT_EVENTS", "start end address numberOfPageFaults"):
        sums[row["address"]][3] += row["numberOfPageFaults"]
    return sums


def um_sum(export):
    return [{"Virtual Address": hex(address), "HtoD Migration Size (MB)": to_device / 1e6,
             "DtoH Migration Size (MB)": to_host / 1e6, "CPU Page Faults": cpu, "GPU PageFaults": gpu,
             "Migration Throughput (MB/s)": (to_device + to_host) * 1e3 / ns if ns else None}
            for address, (to_device, to_host, cpu, gpu, ns) in migrations(export).items()]


def um_total_sum(export):
    sums = migrations(export)
    if not sums:
        return []
    totals = [sum(values) for values in zip(*sums.values())]
    return [{"Total HtoD Migration Size (MB)": totals[0] / 1e6, "Total DtoH Migration Size (MB)": totals[1] / 1e6,
             "Total CPU Page Faults": totals[2], "Total GPU PageFaults": totals[3],
             "Minimum Virtual Address": hex(min(sums)), "Maximum Virtual Address": hex(max(sums))}]


def um_cpu_page_faults_sum(export):
    faults = collections.Counter()
    table = "CUDA_UM_CPU_PAGE_FAULT_EVENTS"
    for row in export.db.execute(f"SELECT * FROM {table}") if table in export.tables else ():
        faults[export.strings[row["CpuInstruction"]] if row["CpuInstruction"] else hex(row["address"])] += 1
    return [{"CPU Page Faults": count, "CPU Instruction Address": place} for place, count in faults.items()]


REPORTS = {
    "mpi_event_sum": mpi_event_sum, "mpi_event_trace": mpi_event_trace, "mpi_msg_size_sum": mpi_msg_size_sum,
    "um_sum:rows=1000000": um_sum, "um_total_sum": um_total_sum, "um_cpu_page_faults_sum": um_cpu_page_faults_sum,
    "cuda_api_sum": cuda_api_sum, "cuda_api_trace": cuda_api_trace, "cuda_api_gpu_sum": cuda_api_gpu_sum,
    "cuda_gpu_kern_sum": cuda_gpu_kern_sum, "cuda_gpu_kern_gb_sum": cuda_gpu_kern_gb_sum,
    "cuda_gpu_mem_time_sum": cuda_gpu_mem_time_sum, "cuda_gpu_mem_size_sum": cuda_gpu_mem_size_sum,
    "cuda_gpu_sum": cuda_gpu_sum, "cuda_gpu_trace": cuda_gpu_trace, "cuda_kern_exec_sum": cuda_kern_exec_sum,
    "cuda_kern_exec_trace": cuda_kern_exec_trace, "nvtx_sum": nvtx_sum, "nvtx_pushpop_sum": nvtx_pushpop_sum,
    "nvtx_startend_sum": nvtx_startend_sum, "nvtx_pushpop_trace": nvtx_pushpop_trace,
    "nvtx_gpu_proj_sum": nvtx_gpu_proj_sum, "nvtx_gpu_proj_trace": nvtx_gpu_proj_trace,
    "nvtx_kern_sum": nvtx_kern_sum, "osrt_sum": osrt_sum, "syscall_sum": syscall_sum,
    "cuda_gpu_kern_sum:base": lambda export: cuda_gpu_kern_sum(export, "base"),
    "cuda_gpu_kern_sum:mangled": lambda export: cuda_gpu_kern_sum(export, "mangled"),
    "nvtx_kern_sum:base": lambda export: nvtx_kern_sum(export, "base"),
}
