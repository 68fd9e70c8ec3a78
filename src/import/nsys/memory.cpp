// Memory: allocations and page faults; and when threads ran on CPUs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

// Rows of the timeline that are not a thread: one for each process and subject.
TrackId process_track(Report& report, int64_t global_id, std::string_view subject) {
    const RankId rank = report.rank_of(global_id, false);
    return report.builder().other_track(rank, std::to_string(Report::pid_of(global_id)), subject);
}

class Allocations {
  public:
    explicit Allocations(Report& report) : report_(report) {}

    Status run() {
        const Columns columns = {"start", "globalPid", "deviceId",           "address",
                                 "bytes", "memKind",   "memoryOperationType"};
        OPSIGHT_TRY(report_.read("CUDA_GPU_MEMORY_USAGE_EVENTS", columns, [this](Table& row) { take(row); }));
        std::stable_sort(events_.begin(), events_.end(),
                         [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; });
        std::map<std::pair<TrackId, int32_t>, int64_t> totals;
        for (MemoryEvent& event : events_) {
            int64_t& total = totals[{event.track, event.device}];
            total += event.bytes;
            event.total_allocated = std::max<int64_t>(total, 0);
            report_.builder().add_memory(event);
        }
        return {};
    }

  private:
    enum { kTime, kPid, kDevice, kAddress, kBytes, kKind, kOperation };

    void take(Table& row) {
        MemoryEvent event;
        if (!report_.time(row, kTime, event.time)) return;
        constexpr int64_t kFree = 1, kMostBytes = int64_t{1} << 48;
        const int64_t bytes = row.number(kBytes, 0);
        if (bytes < 0 || bytes > kMostBytes)
            return report_.note(Diag::kBadEvent, "an allocation of impossible size");
        event.track = process_track(report_, row.number(kPid, 0), "GPU memory");
        event.address = row.number(kAddress, 0);
        event.bytes = row.number(kOperation) == kFree ? -bytes : bytes;
        const int64_t kind = row.number(kKind);
        event.kind = kind >= 0 && kind < 8 ? static_cast<MemoryKind>(kind) : MemoryKind::kUnspecified;
        const bool on_host = event.kind == MemoryKind::kPageable || event.kind == MemoryKind::kPinned;
        constexpr int32_t kCudaDevice = 1;  // as in c10::DeviceType
        event.device_type = on_host ? 0 : kCudaDevice;
        event.device = on_host ? -1 : row.small_number(kDevice);
        events_.push_back(event);
    }

    Report& report_;
    std::vector<MemoryEvent> events_;
};

Status read_page_faults(Report& report) {
    ProfileBuilder& builder = report.builder();
    OPSIGHT_TRY(report.read("CUDA_UM_CPU_PAGE_FAULT_EVENTS",
                            {"start", "globalPid", "address", "CpuInstruction"}, [&](Table& row) {
                                PageFault fault;
                                if (!report.time(row, 0, fault.time)) return;
                                fault.track = process_track(report, row.number(1, 0), "page faults");
                                fault.address = row.number(2, 0);
                                if (row.has(3)) fault.access = report.string(row.number(3));
                                builder.add_page_fault(fault);
                            }));
    const Columns columns = {
        "start", "end", "globalPid", "deviceId", "address", "numberOfPageFaults", "faultAccessType"};
    return report
        .read("CUDA_UM_GPU_PAGE_FAULT_EVENTS", columns,
              [&](Table& row) {
                  constexpr std::string_view kAccess[] = {"Unknown", "Read", "Write", "Atomic", "Prefetch"};
                  PageFault fault;
                  if (!report.ended_times(row, 0, 1, fault.time, fault.dur)) return;
                  const int64_t pid = row.number(2, 0), access = row.number(6);
                  fault.track = process_track(report, pid, "page faults");
                  fault.device = builder.device(report.rank_of(pid, true), row.number(3, 0));
                  fault.address = row.number(4, 0);
                  fault.count = row.number(5, 1);
                  const bool known = access >= 0 && access < static_cast<int64_t>(std::size(kAccess));
                  fault.access = builder.text(known ? kAccess[access] : "Unknown");
                  builder.add_page_fault(fault);
              })
        .map([](bool) {});
}

// A thread's stretches on a CPU, each from a row that says "in" to one that says "out".
class Scheduling {
  public:
    explicit Scheduling(Report& report)
        : report_(report), category_(report.builder().text("cpu_scheduling")) {}

    Status run() {
        OPSIGHT_TRY(report_.read("SCHED_EVENTS", {"start", "globalTid", "isSchedIn", "cpu"},
                                 [this](Table& row) { take(row); }));
        for (const auto& [thread, in] : running_)
            add(thread, in, in.since, kUnfinished);
        return {};
    }

  private:
    struct Running {
        int64_t since, cpu;
    };
    void take(Table& row) {
        int64_t time = 0;
        if (!report_.time(row, 0, time)) return;
        const int64_t thread = row.number(1, 0);
        const auto in = running_.find(thread);
        if (row.number(2) != 0) {
            if (in != running_.end()) add(thread, in->second, time, 0);
            running_[thread] = {time, row.number(3)};
        } else if (in == running_.end()) {
            report_.note(Diag::kEndWithoutBegin, "SCHED_EVENTS");
        } else {
            add(thread, in->second, time, 0);
            running_.erase(in);
        }
    }
    void add(int64_t thread, const Running& in, int64_t until, uint8_t flags) {
        HostSpan span;
        span.begin = in.since;
        span.dur = std::max<int64_t>(0, until - in.since);
        span.flags = flags;
        span.track = process_track(report_, thread, fmt::format("CPU of thread {}", Report::tid_of(thread)));
        span.name = report_.builder().text(fmt::format("CPU {}", in.cpu));
        report_.builder().add_host(span, category_.value);
    }

    Report& report_;
    StringId category_;
    std::map<int64_t, Running> running_;  // by thread
};

}  // namespace

Status read_memory(Report& report) {
    OPSIGHT_TRY(Allocations(report).run());
    OPSIGHT_TRY(read_page_faults(report));
    return Scheduling(report).run();
}

}  // namespace opsight::importer::nsys
