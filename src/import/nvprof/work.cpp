// Calls of the API, and what ran on devices.
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "import/nvprof/api_names.h"
#include "import/nvprof/database.h"

namespace opsight::importer::nvprof {
namespace {

Status read_calls_of(Database& database, std::string_view table, Api api) {
    enum { kStart, kEnd, kNumber, kProcess, kThread, kCorrelation, kResult };
    Report& report = database.report();
    const auto take = [&](Table& row) {
        HostSpan span;
        if (!report.ended_times(row, kStart, kEnd, span.begin, span.dur)) return;
        database.set_process(row.number(kProcess, 0));
        const std::string_view name = api_name(api, row.number(kNumber));
        if (name.empty())
            report.note(Diag::kDanglingId, fmt::format("{}: call {}", table, row.number(kNumber)));
        span.kind = api == Api::kRuntime ? HostKind::kRuntimeApi : HostKind::kDriverApi;
        span.name = database.builder().text(name.empty() ? "(name lost)" : name);
        span.track = database.thread(row.number(kThread, 0));
        database.builder().add_api(span, row.number(kCorrelation), row.small_number(kResult));
    };
    return report
        .read(table, {"start", "end", "cbid", "processId", "threadId", "correlationId", "returnValue"}, take)
        .map([](bool) {});
}

// Columns that kernels, copies, sets and waits share; they come first in every list.
enum { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kShared };
const Columns kSharedColumns = {"start", "end", "deviceId", "contextId", "streamId", "correlationId"};

class DeviceReader {
  public:
    explicit DeviceReader(Database& database)
        : database_(database), report_(database.report()), builder_(database.builder()) {}

    Status run() {
        OPSIGHT_TRY(report_.read(
            "CUPTI_ACTIVITY_KIND_CONTEXT", {"contextId", "deviceId"},
            [this](Table& row) { devices_[row.number(0)] = row.number(1, 0); }, false));
        for (const char* table : {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_KERNEL"})
            OPSIGHT_TRY(read(
                table,
                {"name", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
                 "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread", "sharedMemoryExecuted"},
                &DeviceReader::kernel));
        for (const char* table : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2"})
            OPSIGHT_TRY(read(table, {"bytes", "copyKind", "srcKind", "dstKind", "srcDeviceId", "dstDeviceId"},
                             &DeviceReader::copy));
        OPSIGHT_TRY(read("CUPTI_ACTIVITY_KIND_MEMSET", {"bytes", "value", "memoryKind"}, &DeviceReader::set));
        return read("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"type", "cudaEventId"}, &DeviceReader::wait);
    }

  private:
    using Fill = void (DeviceReader::*)(Table&, DeviceSpan&);

    Status read(std::string_view name, const Columns& own, Fill fill) {
        Columns columns = kSharedColumns;
        columns.insert(columns.end(), own.begin(), own.end());
        const auto row = [&](Table& table) {
            DeviceSpan span;
            if (!report_.ended_times(table, kStart, kEnd, span.begin, span.dur)) return;
            if (span.begin == 0 && span.dur == 0)  // what CUPTI writes where it could not tell
                return report_.note(Diag::kMissingEnd, fmt::format("{}: no times", name));
            span.track = stream(table);
            span.correlation = table.number(kCorrelation);
            (this->*fill)(table, span);
            builder_.add_device(span);
        };
        return report_.read(name, columns, row).map([](bool) {});
    }

    // Waits do not tell their device, but its context.
    TrackId stream(const Table& row) {
        const int64_t context = row.number(kContext, 0);
        const auto known = devices_.find(context);
        const int64_t device = row.number(kDevice, known == devices_.end() ? 0 : known->second);
        return builder_.stream_track(TrackKind::kDeviceStream, builder_.device(database_.rank(), device),
                                     context, row.number(kStream, 0), database_.process());
    }

    void kernel(Table& row, DeviceSpan& span) {
        enum {
            kName = kShared,
            kGrid,
            kBlock = kGrid + 3,
            kRegisters = kBlock + 3,
            kStatic,
            kDynamic,
            kLocal,
            kExecuted
        };
        span.kind = DeviceKind::kKernel;
        const int64_t name = row.number(kName);
        span.name = database_.text(name);
        if (named_.insert(name).second && database_.raw(name).starts_with("_Z"))
            builder_.name_kernel({span.name, StringId(size_t{0}), report_.intern(database_.raw(name))});
        LaunchConfig config;
        for (size_t axis = 0; axis < 3; ++axis) {
            config.grid[axis] = row.number(kGrid + axis);
            config.block[axis] = row.number(kBlock + axis);
        }
        config.registers_per_thread = row.number(kRegisters);
        config.static_shared_bytes = row.number(kStatic);
        config.dynamic_shared_bytes = row.number(kDynamic);
        config.local_bytes_per_thread = row.number(kLocal);
        config.shared_executed_bytes = row.number(kExecuted);
        span.config = builder_.launch_config(config);
    }

    // CUpti_ActivityMemoryKind counts from 1, 0 being none told.
    static MemoryKind memory_kind(const Table& row, size_t column) {
        const int64_t kind = row.number(column, 0);
        if (kind <= 0) return MemoryKind::kUnspecified;
        return kind <= int64_t{static_cast<int8_t>(MemoryKind::kUnknown)} ? static_cast<MemoryKind>(kind - 1)
                                                                          : MemoryKind::kUnknown;
    }

    void copy(Table& row, DeviceSpan& span) {
        enum { kBytes = kShared, kKind, kFrom, kTo, kFromDevice, kToDevice };
        span.kind = DeviceKind::kMemcpy;
        span.bytes = std::max<int64_t>(-1, row.number(kBytes));
        Transfer transfer;
        const int64_t kind = row.number(kKind);
        const bool known = kind >= 0 && kind < int64_t{static_cast<int8_t>(CopyKind::kCount)};
        transfer.copy = known ? static_cast<CopyKind>(kind) : CopyKind::kUnknown;
        transfer.from = memory_kind(row, kFrom);
        transfer.to = memory_kind(row, kTo);
        transfer.from_device = row.number(kFromDevice);
        transfer.to_device = row.number(kToDevice);
        span.transfer = builder_.transfer(transfer);
        span.name = builder_.text(name_of_copy(transfer));
    }

    void set(Table& row, DeviceSpan& span) {
        enum { kBytes = kShared, kValue, kMemory };
        span.kind = DeviceKind::kMemset;
        span.bytes = std::max<int64_t>(-1, row.number(kBytes));
        Transfer transfer;
        transfer.value = row.number(kValue);
        transfer.to = memory_kind(row, kMemory);
        span.transfer = builder_.transfer(transfer);
        span.name = builder_.text(name_of_set(transfer));
    }

    void wait(Table& row, DeviceSpan& span) {
        enum { kType = kShared };
        constexpr std::string_view kNames[] = {"Event Sync", "Stream Wait Event", "Stream Sync",
                                               "Context Sync"};
        span.kind = DeviceKind::kSync;
        const int64_t type = row.number(kType, 0);
        span.name = type >= 1 && type <= std::ssize(kNames)
                        ? builder_.text(kNames[static_cast<size_t>(type - 1)])
                        : builder_.text(fmt::format("Sync of Type {}", type));
    }

    Database& database_;
    Report& report_;
    ProfileBuilder& builder_;
    absl::flat_hash_map<int64_t, int64_t> devices_;  // by context
    absl::flat_hash_set<int64_t> named_;
};

}  // namespace

Status read_calls(Database& database) {
    OPSIGHT_TRY(read_calls_of(database, "CUPTI_ACTIVITY_KIND_RUNTIME", Api::kRuntime));
    return read_calls_of(database, "CUPTI_ACTIVITY_KIND_DRIVER", Api::kDriver);
}

Status read_work(Database& database) {
    return DeviceReader(database).run();
}

}  // namespace opsight::importer::nvprof
