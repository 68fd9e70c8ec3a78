// Devices, contexts, names of processes and threads, and what the profiler itself took.
#include <fmt/format.h>

#include <algorithm>

#include "import/nvprof/database.h"

namespace opsight::importer::nvprof {
namespace {

std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes.substr(0, 16))
        text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
    return text;
}

enum {
    kId,
    kName,
    kMajor,
    kMinor,
    kSms,
    kMemory,
    kBandwidth,
    kClock,
    kL2,
    kWarp,
    kWarpsPerSm,
    kThreadsPerBlock,
    kSharedPerSm,
    kSharedPerBlock,
    kRegistersPerSm,
    kRegistersPerBlock,
    kUuid
};
const Columns kDeviceColumns = {"id",
                                "name",
                                "computeCapabilityMajor",
                                "computeCapabilityMinor",
                                "numMultiprocessors",
                                "globalMemorySize",
                                "globalMemoryBandwidth",
                                "coreClockRate",
                                "l2CacheSize",
                                "numThreadsPerWarp",
                                "maxWarpsPerMultiprocessor",
                                "maxThreadsPerBlock",
                                "maxSharedMemoryPerMultiprocessor",
                                "maxSharedMemoryPerBlock",
                                "maxRegistersPerMultiprocessor",
                                "maxRegistersPerBlock",
                                "uuid"};

void take_device(Database& database, Table& row) {
    const auto count = [&](size_t column, int64_t factor = 1) {
        return std::clamp<int64_t>(row.number(column, 0), 0, INT64_MAX / factor) * factor;
    };
    ProfileBuilder& builder = database.builder();
    Device& device = builder.device_info(builder.device(database.rank(), row.number(kId, 0)));
    device.declared = true;
    device.name = builder.view(database.text(row.number(kName)));
    device.compute_major = static_cast<int>(std::min<int64_t>(count(kMajor), 999));
    device.compute_minor = static_cast<int>(std::min<int64_t>(count(kMinor), 999));
    device.sm_count = count(kSms);
    device.memory_bytes = count(kMemory);
    device.memory_bandwidth = count(kBandwidth, 1000);  // told in KB/s, and the clock in kHz
    device.clock_hz = count(kClock, 1000);
    device.l2_bytes = count(kL2);
    device.warp_size = count(kWarp);
    device.max_threads_per_sm =
        std::min<int64_t>(count(kWarpsPerSm), 1 << 16) * std::min<int64_t>(device.warp_size, 1 << 10);
    device.max_threads_per_block = count(kThreadsPerBlock);
    device.shared_memory_per_sm = count(kSharedPerSm);
    device.shared_memory_per_block = count(kSharedPerBlock);
    device.registers_per_sm = count(kRegistersPerSm);
    device.registers_per_block = count(kRegistersPerBlock);
    device.uuid = hex(row.text(kUuid));
}

Status read_devices(Database& database) {
    return database.report()
        .read(
            "CUPTI_ACTIVITY_KIND_DEVICE", kDeviceColumns, [&](Table& row) { take_device(database, row); },
            false)
        .map([](bool) {});
}

Status read_contexts(Database& database) {
    return database.report()
        .read(
            "CUPTI_ACTIVITY_KIND_CONTEXT", {"contextId", "deviceId"},
            [&](Table& row) {
                Context context;
                context.rank = database.rank();
                context.number = row.number(0, 0);
                context.device = row.number(1);
                database.builder().add_context(context);
            },
            false)
        .map([](bool) {});
}

// CUPTI writes the command for the process's name.
Status read_names(Database& database) {
    constexpr int64_t kProcess = 1, kThread = 2;
    ProfileBuilder& builder = database.builder();
    StringId process(size_t{0});
    const auto take = [&](Table& row) {
        Object object;
        const int64_t kind = row.number(0);
        if (!read_object(row.text(1), object)) return;
        if (kind == kProcess) database.set_process(object.process);
        if (kind == kProcess) process = database.text(row.number(2));
        if (kind == kThread)
            builder.track(database.thread(object.thread)).name = database.text(row.number(2));
    };
    OPSIGHT_TRY(
        database.report().read("CUPTI_ACTIVITY_KIND_NAME", {"objectKind", "objectId", "name"}, take, false));
    if (process.value == 0) return {};
    database.report().keep("command", builder.view(process));
    for (size_t i = 0; i < builder.track_count(); ++i)
        builder.track(TrackId(i)).process_name = process;
    return {};
}

Status read_overhead(Database& database) {
    constexpr std::pair<int64_t, std::string_view> kKinds[] = {{1, "Compiler of the Driver"},
                                                               {1 << 16, "Flush of Buffers"},
                                                               {2 << 16, "Instrumentation"},
                                                               {3 << 16, "Resource"}};
    Report& report = database.report();
    const auto take = [&](Table& row) {
        HostSpan span;
        Object object;
        if (!report.ended_times(row, 0, 1, span.begin, span.dur) || !read_object(row.text(3), object)) return;
        const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                        [&](const auto& known) { return known.first == row.number(2); });
        span.kind = HostKind::kOverhead;
        span.name = database.builder().text(kind == std::end(kKinds) ? "Overhead" : kind->second);
        span.track = database.thread(object.thread);
        database.builder().add_host(span);
    };
    return report.read("CUPTI_ACTIVITY_KIND_OVERHEAD", {"start", "end", "overheadKind", "objectId"}, take)
        .map([](bool) {});
}

}  // namespace

Status read_machine(Database& database) {
    OPSIGHT_TRY(read_devices(database));
    OPSIGHT_TRY(read_contexts(database));
    OPSIGHT_TRY(read_overhead(database));
    return read_names(database);
}

}  // namespace opsight::importer::nvprof
