"""Writes a small Nsight Systems export with what real ones rarely have: unified memory, MPI, start/end ranges, some
across threads, synchronous sets, launches that cross the end of a range, work without a launch."""

import os
import random
import sqlite3

TABLES = {
    "StringIds": "id value",
    "META_DATA_EXPORT": "name value",
    "TARGET_INFO_GPU": "id name smCount computeMajor computeMinor busLocation",
    "NVTX_EVENTS": "start end eventType rangeId category color text globalTid endGlobalTid textId domainId",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start end eventClass globalTid correlationId nameId returnValue",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start end deviceId contextId streamId correlationId globalPid demangledName "
                                  "shortName mangledName gridX gridY gridZ blockX blockY blockZ registersPerThread "
                                  "staticSharedMemory dynamicSharedMemory",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start end deviceId contextId streamId correlationId globalPid bytes copyKind "
                                  "srcKind dstKind virtualAddress",
    "CUPTI_ACTIVITY_KIND_MEMSET": "start end deviceId contextId streamId correlationId globalPid bytes value memKind",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS": "start globalPid address CpuInstruction",
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS": "start end globalPid deviceId address numberOfPageFaults faultAccessType",
    "OSRT_API": "start end globalTid nameId",
    "SYSCALL": "start end globalTid nameId",
    "MPI_RANKS": "globalTid rank",
    "MPI_P2P_EVENTS": "start end globalTid textId tag remoteRank size",
    "MPI_COLLECTIVES_EVENTS": "start end globalTid textId rootRank size recvSize",
    "MPI_START_WAIT_EVENTS": "start end globalTid textId",
    "MPI_OTHER_EVENTS": "start end globalTid textId",
    "PROFILER_OVERHEAD": "start end globalTid nameId",
}
API = {"kernel": ("cudaLaunchKernel_v7000", "cuLaunchKernel"),
       "copy": ("cudaMemcpyAsync_v3020", "cudaMemcpy_v3020"), "set": ("cudaMemset_v3020", "cudaMemsetAsync_v3020")}


class Writer:
    def __init__(self, path, seed):
        if os.path.exists(path):
            os.unlink(path)
        self.random = random.Random(seed)
        self.db = sqlite3.connect(path)
        for table, columns in TABLES.items():
            self.db.execute(f"CREATE TABLE {table} ({', '.join(columns.split())})")
        self.strings = {}
        self.correlation = 0

    def add(self, table, **values):
        columns = TABLES[table].split()
        self.db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})",
                        [values.pop(name, None) for name in columns])
        assert not values, values

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.add("StringIds", id=self.strings[text], value=text)
        return self.strings[text]

    def pick(self, *choices):
        return self.random.choice(choices)

    def range(self, thread, start, end, event=59, end_thread=None):
        by_id = self.random.random() < 0.5
        name = self.pick("forward", "backward", "step", "layer:a")
        self.add("NVTX_EVENTS", start=start, end=end, eventType=event, globalTid=thread, endGlobalTid=end_thread,
                 text=None if by_id else name, textId=self.string(name) if by_id else None,
                 domainId=self.pick(0, 0, 1, 2))

    def work(self, thread, start, end, gpu):
        """One API call and what it launches; `gpu` is when its stream is free."""
        kind = self.pick("kernel", "kernel", "kernel", "copy", "set")
        self.correlation += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0, globalTid=thread, returnValue=0,
                 correlationId=self.correlation, nameId=self.string(self.pick(*API[kind])))
        begin = max(gpu, self.pick(start + 50, end + 200))
        stop = begin + self.random.randint(10, 4000)
        lost = self.random.random() < 0.05
        shared = {"start": begin, "end": stop, "deviceId": thread >> 24 & 1, "contextId": 1, "streamId": 7,
                  "correlationId": 10**6 + self.correlation if lost else self.correlation,
                  "globalPid": thread >> 24 << 24}
        if kind == "kernel":
            name = self.pick("gemm", "relu", "add")
            self.add("CUPTI_ACTIVITY_KIND_KERNEL", **shared, demangledName=self.string(f"void {name}<float>(float *)"),
                     shortName=self.string(name), mangledName=self.string(f"_Z{name}"), gridX=self.pick(1, 64),
                     gridY=1, gridZ=1, blockX=128, blockY=1, blockZ=1, registersPerThread=32, staticSharedMemory=0,
                     dynamicSharedMemory=4096)
        elif kind == "copy":
            way = self.pick(1, 2, 8, 11, 12)
            self.add("CUPTI_ACTIVITY_KIND_MEMCPY", **shared, bytes=self.pick(100, 65536, 65537, 10**6), copyKind=way,
                     srcKind=self.pick(0, 1, 2), dstKind=self.pick(0, 1, 2),
                     virtualAddress=self.pick(0x7f0000000000, 0x7f0000200000) if way > 10 else None)
        else:
            self.add("CUPTI_ACTIVITY_KIND_MEMSET", **shared, bytes=4096, value=0, memKind=self.pick(1, 2, 4))
        return stop

    def nest(self, thread, start, end, depth, gpu):
        """Ranges in ranges with work inside; returns when the stream is free."""
        at = start
        while at + 2000 < end:
            stop = min(end, at + self.random.randint(1000, 1 + (end - start) // 2))
            if depth > 0 and self.random.random() < 0.7:
                self.range(thread, at, stop)
                gpu = self.nest(thread, at, stop, depth - 1, gpu)
            else:
                # some calls outlast the range that they begin in
                gpu = self.work(thread, at + 10, stop + self.pick(-100, -100, -100, 50), gpu)
            at = stop + 100
        return gpu

    def others(self, thread):
        for _ in range(20):
            start = self.random.randint(0, 190_000)
            times = {"start": start, "end": start + self.random.randint(1, 9000), "globalTid": thread}
            self.add("OSRT_API", **times, nameId=self.string(self.pick("poll", "read")))
            self.add("SYSCALL", **times, nameId=self.string(self.pick("read", "futex")))
            self.add("MPI_P2P_EVENTS", **times, textId=self.string(self.pick("MPI_Send", "MPI_Recv")), tag=3,
                     remoteRank=1, size=self.random.randint(0, 10**6))
            self.add("MPI_COLLECTIVES_EVENTS", **times, textId=self.string("MPI_Bcast"), rootRank=0,
                     size=self.pick(8, 16), recvSize=self.pick(8, 16))
            self.add("MPI_COLLECTIVES_EVENTS", **times, textId=self.string(self.pick("MPI_Barrier", "MPI_Ibarrier")))
            self.add("MPI_START_WAIT_EVENTS", **times, textId=self.string(self.pick("MPI_Wait", "MPI_Testall")))
            self.add("MPI_OTHER_EVENTS", **times, textId=self.string("MPI_Comm_rank"))
            pid = thread >> 24 << 24
            self.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=start, globalPid=pid, address=self.pick(4096, 8192),
                     CpuInstruction=self.pick(None, self.string("main"), self.string("fill(int*)")))
            self.add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=start, end=start + 5, globalPid=pid, deviceId=0,
                     address=8192, numberOfPageFaults=self.pick(1, 4), faultAccessType=1)
            self.add("CUPTI_ACTIVITY_KIND_RUNTIME", **times, eventClass=0, correlationId=0, returnValue=0,
                     nameId=self.string(self.pick("cudaDeviceSynchronize_v3020", "cudaMalloc_v3020")))


def write(path, seed):
    writer = Writer(path, seed)
    for key, value in (("EXPORT_PRODUCT_VERSION", "2025.3.1.90"), ("EXPORT_SCHEMA_VERSION", "3.20.2")):
        writer.add("META_DATA_EXPORT", name=key, value=value)
    for device in range(2):
        writer.add("TARGET_INFO_GPU", id=device, name="Fabricated GPU", smCount=80, computeMajor=8, computeMinor=0)
    threads = [pid << 24 | pid + number for pid in (1000, 1001) for number in range(2)]
    for pid in (1000, 1001):
        writer.add("MPI_RANKS", globalTid=pid << 24 | pid, rank=pid - 1000)
        for domain, name in ((1, "NCCL"), (2, "TSL")):
            writer.add("NVTX_EVENTS", start=0, eventType=75, globalTid=pid << 24 | pid, domainId=domain, text=name)
    for thread in threads:
        writer.nest(thread, 0, 200_000, 4, 0)
        writer.others(thread)
        for _ in range(10):
            start = writer.random.randint(0, 150_000)
            writer.range(thread, start, start + writer.random.randint(100, 50_000), event=60,
                         end_thread=writer.pick(thread, thread, thread ^ 1))
    # long after: a gap, part of which is the profiler's
    writer.work(threads[0], 10**9, 10**9 + 100, 0)
    writer.work(threads[0], 3 * 10**9, 3 * 10**9 + 100, 0)
    writer.add("PROFILER_OVERHEAD", start=10**9 + 10**8, end=10**9 + 3 * 10**8, globalTid=threads[0],
               nameId=writer.string("flush"))
    writer.db.commit()
    writer.db.close()
