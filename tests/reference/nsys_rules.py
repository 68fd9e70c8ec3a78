"""The rules of `nsys analyze`, computed in plain Python from an Nsight Systems SQLite export; see nsys_stats.py."""

import collections

from nsys_stats import MEMORY, length, pid_of, tid_of

SYNCHRONIZE = ("cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaThreadSynchronize", "cuCtxSynchronize",
               "cuStreamSynchronize")
CHUNKS, THRESHOLD, GAP = 30, 50, 500_000_000


def memory_rows(export, sets, wanted):
    rows = []
    for call, memop in export.launches([m for m in export.memops() if m["set"] == sets]):
        if not wanted(call["name"], memop):
            continue
        kinds = [None if memop[side] is None else MEMORY[memop[side]] for side in ("from", "to")]
        row = {"Duration (ns)": length(memop), "Start (ns)": memop["start"]}
        row.update({"Memory Kind": kinds[0]} if sets else {"Src Kind": kinds[0], "Dst Kind": kinds[1]})
        rows.append({**row, "Bytes (MB)": memop["bytes"] / 1e6, "PID": pid_of(call["globalTid"]),
                     "Device ID": memop["deviceId"], "Stream ID": memop["streamId"], "API Name": call["name"]})
    return rows


def cuda_memcpy_async(export):
    return memory_rows(export, False, lambda api, m: "Memcpy" in api and "Async" in api and 0 in (m["from"], m["to"]))


def cuda_memcpy_sync(export):
    return memory_rows(export, False, lambda api, m: "Memcpy" in api and "Async" not in api and not (
        "Host-to-Device]" in m["name"] and "Unified" not in m["name"] and m["bytes"] <= 65536))


def cuda_memset_sync(export):
    return memory_rows(export, True,
                       lambda api, m: "Memset" in api and "Async" not in api and m["from"] in (1, 4, 6))


def cuda_api_sync(export):
    return [{"Duration (ns)": length(call), "Start (ns)": call["start"], "PID": pid_of(call["globalTid"]),
             "TID": tid_of(call["globalTid"]), "API Name": call["name"]}
            for call in export.api() if call["name"].removesuffix("_ptsz") in SYNCHRONIZE]


def device_work(export):
    """Work by process and device."""
    groups = collections.defaultdict(list)
    if not export.kernels():
        return {}
    for item in export.kernels() + export.memops():
        groups[pid_of(item["globalPid"] or 0), item["deviceId"]].append((item["start"], item["end"]))
    return groups


def numbered(rows):
    return [{"Row#": number + 1, **row} for number, row in enumerate(rows)]


def overhead(export, pid):
    return [(row["start"], row["end"]) for table in ("PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD")
            for row in export.rows(table, "start end globalTid") if pid_of(row["globalTid"]) == pid]


def gpu_gaps(export):
    rows = []
    for (pid, device), work in device_work(export).items():
        first, last = min(start for start, _ in work), max(end for _, end in work)
        at = first
        for start, end in sorted(work + overhead(export, pid)):
            start, end = min(start, last), min(end, last)
            if start - at > GAP:
                rows.append({"Duration (ns)": start - at, "Start (ns)": at, "PID": pid, "Device ID": device})
            at = max(at, end)
    return numbered(sorted(rows, key=lambda row: (-row["Duration (ns)"], row["Start (ns)"])))


def gpu_time_util(export):
    rows = []
    for (pid, device), work in device_work(export).items():
        first, last = min(start for start, _ in work), max(end for _, end in work)
        edges = [first + (last - first) * i // CHUNKS for i in range(CHUNKS + 1)]
        if last - first < CHUNKS:
            continue
        run = None
        for begin, end in zip(edges, edges[1:]):
            used = sum(max(0, min(stop, end) - max(start, begin)) for start, stop in work)
            if 100 * used >= THRESHOLD * (end - begin):
                run = None
                continue
            if run is None:
                run = [begin, end, 0]
                rows.append((run, pid, device))
            run[1] = end
            run[2] += used
    found = [{"In-Use (%)": 100 * used / (end - begin), "Duration (ns)": end - begin, "Start (ns)": begin,
              "PID": pid, "Device ID": device} for (begin, end, used), pid, device in rows]
    return numbered(sorted(found, key=lambda row: (row["In-Use (%)"], row["Start (ns)"])))


RULES = {"cuda_memcpy_async": cuda_memcpy_async, "cuda_memcpy_sync": cuda_memcpy_sync,
         "cuda_memset_sync": cuda_memset_sync, "cuda_api_sync": cuda_api_sync, "gpu_gaps": gpu_gaps,
         "gpu_time_util": gpu_time_util}
