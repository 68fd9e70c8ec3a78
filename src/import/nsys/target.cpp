// The machine: devices, contexts, streams, names of processes and threads, versions, and what was not read.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/json_writer.h"
#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

enum {
    kVm,
    kId,
    kName,
    kBus,
    kL2,
    kMemory,
    kBandwidth,
    kClock,
    kSms,
    kUuid,
    kChip,
    kRegistersPerBlock,
    kSharedPerBlock,
    kSharedOptin,
    kSharedPerSm,
    kRegistersPerSm,
    kWarp,
    kWarpsPerSm,
    kThreadsPerBlock,
    kMajor,
    kMinor,
    kOldId
};
const Columns kGpuColumns = {"vmId",
                             "id",
                             "name",
                             "busLocation",
                             "l2CacheSize",
                             "totalMemory",
                             "memoryBandwidth",
                             "clockRate",
                             "smCount",
                             "uuid",
                             "chipName",
                             "maxRegistersPerBlock",
                             "maxShmemPerBlock",
                             "maxShmemPerBlockOptin",
                             "maxShmemPerSm",
                             "maxRegistersPerSm",
                             "threadsPerWarp",
                             "maxWarpsPerSm",
                             "maxThreadsPerBlock",
                             "computeMajor",
                             "computeMinor",
                             "deviceId"};

Device device_of(Report& report, const Table& row) {
    const auto text = [&](size_t column) {
        return std::string(report.builder().view(report.intern(row.text(column))));
    };
    const auto count = [&](size_t column) { return std::max<int64_t>(row.number(column, 0), 0); };
    Device device;
    device.name = text(kName);
    device.compute_major = static_cast<int>(std::min<int64_t>(count(kMajor), 999));
    device.compute_minor = static_cast<int>(std::min<int64_t>(count(kMinor), 999));
    device.sm_count = count(kSms);
    device.memory_bytes = count(kMemory);
    device.registers_per_sm = count(kRegistersPerSm);
    device.registers_per_block = count(kRegistersPerBlock);
    device.shared_memory_per_sm = count(kSharedPerSm);
    device.shared_memory_per_block = count(kSharedPerBlock);
    device.shared_memory_per_block_optin = count(kSharedOptin);
    device.warp_size = count(kWarp);
    device.max_threads_per_sm =
        std::min<int64_t>(count(kWarpsPerSm), 1 << 16) * std::min<int64_t>(device.warp_size, 1 << 10);
    device.max_threads_per_block = count(kThreadsPerBlock);
    device.memory_bandwidth = count(kBandwidth);
    device.clock_hz = count(kClock);
    device.l2_bytes = count(kL2);
    device.uuid = text(kUuid);
    device.bus_location = text(kBus);
    device.chip = text(kChip);
    device.declared = true;
    return device;
}

void put(JsonWriter& json, int64_t number, const Device& gpu) {
    json.field("bus", gpu.bus_location);
    json.list("compute", [&] { json.value(gpu.compute_major).value(gpu.compute_minor); });
    json.field("name", gpu.name).field("number", number).field("uuid", gpu.uuid);
}

// Devices of the machine, as each process numbers those that it sees.
class Devices {
  public:
    explicit Devices(Report& report) : report_(report), builder_(report.builder()) {}

    Status run() {
        OPSIGHT_TRY(report_.read(
            "TARGET_INFO_GPU", kGpuColumns, [this](Table& row) { take(row); }, false));
        if (gpus_.empty()) return {};
        keep_list();
        OPSIGHT_TRY(report_.read(
            "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"},
            [this](Table& row) {
                seen_by_[row.number(2)].insert({row.number(1), row.number(0)});
            },
            false));
        for (const auto& [key, rank] : report_.ranks())
            declare(rank, key & 0xffffff);
        return {};
    }

  private:
    void take(Table& row) {
        // Adapters of other makers stand in the table too.
        if (row.has_column(kMajor) && row.number(kMajor, 0) == 0 && row.number(kSms, 0) == 0)
            return report_.note(Diag::kUnreadRow, fmt::format("TARGET_INFO_GPU: {}", row.text(kName)));
        const size_t id_column = row.has_column(kId) ? kId : kOldId;
        gpus_.emplace(row.number(id_column, 0), device_of(report_, row));
    }

    // Of all GPUs of the machine, idle ones too, for reports in DLProf's style. `devices` are what the
    // processes see.
    void keep_list() {
        JsonWriter json;
        json.object([&] {
            json.list("gpus", [&] {
                for (const auto& each : gpus_)  // clang captures no structured bindings
                    json.object([&] { put(json, each.first, each.second); });
            });
            json.field("host", report_.host());
        });
        builder_.info().properties.emplace_back("source.gpus", json.take());
    }

    void declare(RankId rank, int64_t pid) {
        const auto own = seen_by_.find(pid);
        if (own != seen_by_.end()) {
            for (const auto& [number, gpu] : own->second)
                fill(rank, number, gpu);
            return;
        }
        // Which devices a process saw is not told: those that it used, and with a single process all.
        for (const auto& [number, gpu] : gpus_)
            if (report_.ranks().size() == 1 || used(rank, number)) fill(rank, number, number);
    }

    bool used(RankId rank, int64_t number) {
        if (used_.empty())
            for (size_t i = 0; i < builder_.track_count(); ++i) {
                const Track& track = builder_.track(TrackId(i));
                if (track.device.valid())
                    used_.insert({track.rank, builder_.device_info(track.device).number});
            }
        return used_.contains({rank, number});
    }

    void fill(RankId rank, int64_t number, int64_t gpu) {
        const auto found = gpus_.find(gpu);
        if (found == gpus_.end()) return report_.note(Diag::kDanglingId, fmt::format("GPU {}", gpu));
        Device& device = builder_.device_info(builder_.device(rank, number));
        device = found->second;
        device.rank = rank;
        device.number = number;
    }

    Report& report_;
    ProfileBuilder& builder_;
    std::map<int64_t, Device> gpus_;
    std::map<int64_t, std::set<std::pair<int64_t, int64_t>>> seen_by_;  // process: (its number, gpu)
    std::set<std::pair<RankId, int64_t>> used_;
};

// Ranks by the plain process id, which is all that some tables tell.
std::map<int64_t, RankId> ranks_by_pid(const Report& report) {
    std::map<int64_t, RankId> ranks;
    for (const auto& [key, rank] : report.ranks())
        ranks.emplace(key & 0xffffff, rank);
    return ranks;
}

Status read_contexts(Report& report) {
    const std::map<int64_t, RankId> ranks = ranks_by_pid(report);
    const Columns columns = {"processId", "contextId", "deviceId", "parentContextId", "isGreenContext"};
    for (const char* table : {"TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_NULL_STREAM"}) {
        OPSIGHT_ASSIGN(const bool found, report.read(
                                             table, columns,
                                             [&](Table& row) {
                                                 const auto rank = ranks.find(row.number(0) & 0xffffff);
                                                 if (rank == ranks.end()) return;  // a process without work
                                                 Context context;
                                                 context.rank = rank->second;
                                                 context.number = row.number(1, 0);
                                                 context.device = row.number(2);
                                                 context.green = row.number(4, 0) != 0;
                                                 context.parent = context.green ? row.number(3) : -1;
                                                 report.builder().add_context(context);
                                             },
                                             false));
        if (found) break;  // the second one is what older exports have instead
    }
    return {};
}

Status read_streams(Report& report) {
    using StreamKey = std::tuple<int64_t, int64_t, int64_t>;
    std::map<StreamKey, int32_t> priorities;
    std::map<StreamKey, StringId> names;  // that the program gave them (nvtxNameCudaStream)
    OPSIGHT_TRY(report.read(
        "TARGET_INFO_NVTX_CUDA_STREAM", {"processId", "contextId", "streamId", "name"},
        [&](Table& row) {
            names[{row.number(0) & 0xffffff, row.number(1), row.number(2)}] = report.intern(row.text(3));
        },
        false));
    OPSIGHT_TRY(report.read(
        "TARGET_INFO_CUDA_STREAM", {"processId", "contextId", "streamId", "priority"},
        [&](Table& row) {
            // Older exports write negative priorities as 32 bits without a sign.
            priorities[{row.number(0) & 0xffffff, row.number(1), row.number(2)}] =
                static_cast<int32_t>(static_cast<uint32_t>(row.number(3, 0)));
        },
        false));
    for (size_t i = 0; i < report.builder().track_count(); ++i) {
        Track& track = report.builder().track(TrackId(i));
        if (track.kind != TrackKind::kDeviceStream) continue;
        const StreamKey key{track.pid, track.context, track.stream};
        if (const auto found = priorities.find(key); found != priorities.end())
            track.priority = found->second;
        if (const auto found = names.find(key); found != names.end()) track.name = found->second;
    }
    return {};
}

Status read_names(Report& report) {
    ProfileBuilder& builder = report.builder();
    absl::flat_hash_map<int64_t, StringId> processes;
    OPSIGHT_TRY(report.read(
        "PROCESSES", {"globalPid", "name"},
        [&](Table& row) { processes[Report::process_key(row.number(0, 0))] = report.intern(row.text(1)); },
        false));
    for (const auto& [thread, track] : report.threads())
        if (const auto name = processes.find(Report::process_key(thread)); name != processes.end())
            builder.track(track).process_name = name->second;
    return report
        .read(
            "ThreadNames", {"globalTid", "nameId", "priority"},
            [&](Table& row) {
                const auto thread = report.threads().find(row.number(0, 0));
                if (thread == report.threads().end()) return;  // a thread without events
                Track& track = builder.track(thread->second);
                if (track.name.value == 0) track.name = report.string(row.number(1));
                if (row.has(2) && std::in_range<int32_t>(row.number(2)))
                    track.priority = static_cast<int32_t>(row.number(2));
            },
            false)
        .map([](bool) {});
}

}  // namespace

Status read_target(Report& report) {
    OPSIGHT_TRY(Devices(report).run());
    OPSIGHT_TRY(read_contexts(report));
    OPSIGHT_TRY(read_streams(report));
    return read_names(report);
}

}  // namespace opsight::importer::nsys
