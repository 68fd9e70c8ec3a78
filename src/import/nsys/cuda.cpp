// CUDA: calls of the API, and what ran on devices.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <array>

#include "import/nsys/api_names.h"
#include "import/nsys/readers.h"

namespace opsight::nsys {
namespace {

class CallReader {
  public:
    explicit CallReader(Report& report) : report_(report) {}
    Status run() {
        const Columns columns = {"start",  "end",         "globalTid", "correlationId",
                                 "nameId", "returnValue", "eventClass"};
        OPSIGHT_TRY(report_.read("CUPTI_ACTIVITY_KIND_RUNTIME", columns, [this](Table& row) { take(row); }));
        api_names_.keep(report_.builder());
        return {};
    }

  private:
    enum { kStart, kEnd, kThread, kCorrelation, kName, kResult, kClass };
    struct Name {
        StringId name;
        bool driver = false;
    };

    void take(Table& row) {
        HostSpan span;
        if (!report_.times(row, kStart, kEnd, span.begin, span.dur, span.flags)) return;
        const Name& name = name_of(row.number(kName));
        constexpr int64_t kDriverClass = 1;
        const bool driver = row.has(kClass) ? row.number(kClass) == kDriverClass : name.driver;
        span.kind = driver ? HostKind::kDriverApi : HostKind::kRuntimeApi;
        span.name = name.name;
        span.track = report_.thread(row.number(kThread, 0), true);
        report_.builder().add_api(span, row.number(kCorrelation), static_cast<int32_t>(row.number(kResult)));
    }

    const Name& name_of(int64_t id) {
        const auto [it, is_new] = names_.try_emplace(id);
        if (is_new || !report_.has_string(id)) {
            const std::string text(api_names_.without_version(report_.builder().view(report_.string(id))));
            it->second = {report_.builder().text(text), is_driver_call(text)};
        }
        return it->second;
    }

    Report& report_;
    absl::flat_hash_map<int64_t, Name> names_;
    ApiNames api_names_;
};

// Columns that kernels, copies, sets, waits and graphs share; they come first in every list.
enum { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kPid, kGreen, kGraphNode, kGraph, kShared };
const Columns kSharedColumns = {"start",         "end",       "deviceId",       "contextId",   "streamId",
                                "correlationId", "globalPid", "greenContextId", "graphNodeId", "graphId"};

class DeviceReader {
    static constexpr std::string_view kWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

  public:
    explicit DeviceReader(Report& report) : report_(report), builder_(report.builder()) {}

    Status run() {
        OPSIGHT_TRY(read("CUPTI_ACTIVITY_KIND_KERNEL",
                         {"demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX",
                          "blockY", "blockZ", "registersPerThread", "staticSharedMemory",
                          "dynamicSharedMemory", "localMemoryPerThread", "sharedMemoryExecuted", "clusterX",
                          "clusterY", "clusterZ", "launchType"},
                         &DeviceReader::kernel));
        OPSIGHT_TRY(read("CUPTI_ACTIVITY_KIND_MEMCPY",
                         {"bytes", "copyKind", "srcKind", "dstKind", "srcDeviceId", "dstDeviceId",
                          "srcContextId", "dstContextId", "migrationCause", "virtualAddress", "copyCount"},
                         &DeviceReader::copy));
        OPSIGHT_TRY(read("CUPTI_ACTIVITY_KIND_MEMSET", {"bytes", "value", "memKind"}, &DeviceReader::set));
        OPSIGHT_TRY(read(kWaits, {"syncType", "eventId"}, &DeviceReader::wait));
        return read("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {"graphExecId"}, &DeviceReader::graph);
    }

  private:
    using Fill = void (DeviceReader::*)(Table&, DeviceSpan&, DeviceExtra&);

    Status read(std::string_view name, const Columns& own, Fill fill) {
        Columns columns = kSharedColumns;
        columns.insert(columns.end(), own.begin(), own.end());
        const auto row = [&](Table& table) {
            DeviceSpan span;
            if (!report_.times(table, kStart, kEnd, span.begin, span.dur, span.flags)) return;
            span.track = report_.stream(table.number(kPid), table.has(kPid), device_of(table, name),
                                        table.number(kContext, 0), table.number(kStream, 0));
            span.correlation = table.number(kCorrelation);
            DeviceExtra extra;
            extra.green_context = table.number(kGreen);
            extra.graph_node = table.number(kGraphNode);
            extra.graph = table.number(kGraph);
            (this->*fill)(table, span, extra);
            builder_.add_device(span);
            const bool any = std::max({extra.graph, extra.graph_node, extra.green_context, extra.address,
                                       extra.event}) > 0;
            if (any) builder_.extend_device(extra);
        };
        return report_.read(name, columns, row).map([](bool) {});
    }

    // Waits all name device 0, whatever device their context is on: what ran in the context tells that one.
    int64_t device_of(const Table& row, std::string_view table) {
        const int64_t told = row.number(kDevice, 0);
        if (!row.has(kContext)) return told;
        const std::pair context(row.number(kPid), row.number(kContext));
        if (table != kWaits) {
            if (context != last_context_) device_of_context_.try_emplace(last_context_ = context, told);
            return told;
        }
        const auto known = device_of_context_.find(context);
        return known == device_of_context_.end() ? told : known->second;
    }

    void kernel(Table& row, DeviceSpan& span, DeviceExtra&) {
        enum {
            kFull = kShared,
            kShort,
            kMangled,
            kGrid,
            kBlock = kGrid + 3,
            kRegisters = kBlock + 3,
            kStatic,
            kDynamic,
            kLocal,
            kExecuted,
            kCluster,
            kLaunchType = kCluster + 3
        };
        span.kind = DeviceKind::kKernel;
        const bool has_full = row.has(kFull) && report_.has_string(row.number(kFull));
        const int64_t full = has_full || !row.has(kShort) ? row.number(kFull) : row.number(kShort);
        span.name = report_.string(full);
        if (named_.insert(full).second) {
            KernelNames names{span.name, StringId(size_t{0}), StringId(size_t{0})};
            if (row.has(kShort)) names.base = report_.string(row.number(kShort));
            if (row.has(kMangled)) names.mangled = report_.string(row.number(kMangled));
            builder_.name_kernel(names);
        }
        LaunchConfig config;
        for (size_t axis = 0; axis < 3; ++axis) {
            config.grid[axis] = row.number(kGrid + axis);
            config.block[axis] = row.number(kBlock + axis);
            config.cluster[axis] = row.number(kCluster + axis);
        }
        config.registers_per_thread = row.number(kRegisters);
        config.static_shared_bytes = row.number(kStatic);
        config.dynamic_shared_bytes = row.number(kDynamic);
        config.local_bytes_per_thread = row.number(kLocal);
        config.shared_executed_bytes = row.number(kExecuted);
        config.launch_type = row.number(kLaunchType);
        span.config = builder_.launch_config(config);
    }

    static MemoryKind memory_kind(const Table& row, size_t column) {
        const int64_t kind = row.number(column);
        if (kind < 0) return MemoryKind::kNotTold;
        return kind < int64_t{static_cast<int8_t>(MemoryKind::kUnknown)} ? static_cast<MemoryKind>(kind)
                                                                         : MemoryKind::kUnknown;
    }

    void copy(Table& row, DeviceSpan& span, DeviceExtra& extra) {
        enum {
            kBytes = kShared,
            kKind,
            kFrom,
            kTo,
            kFromDevice,
            kToDevice,
            kFromContext,
            kToContext,
            kCause,
            kAddress,
            kCopies
        };
        span.kind = DeviceKind::kMemcpy;
        span.bytes = row.number(kBytes);
        Transfer transfer;
        const int64_t kind = row.number(kKind);
        const bool known = kind >= 0 && kind < int64_t{static_cast<int8_t>(CopyKind::kCount)};
        transfer.copy = known ? static_cast<CopyKind>(kind) : CopyKind::kUnknown;
        transfer.from = memory_kind(row, kFrom);
        transfer.to = memory_kind(row, kTo);
        transfer.from_device = row.number(kFromDevice);
        transfer.to_device = row.number(kToDevice);
        transfer.from_context = row.number(kFromContext);
        transfer.to_context = row.number(kToContext);
        transfer.migration_cause = row.number(kCause);
        transfer.copies = row.number(kCopies);
        extra.address = row.number(kAddress);
        name_transfer(span, transfer, name_of_copy);
    }

    void set(Table& row, DeviceSpan& span, DeviceExtra&) {
        enum { kBytes = kShared, kValue, kMemory };
        span.kind = DeviceKind::kMemset;
        span.bytes = row.number(kBytes);
        Transfer transfer;
        transfer.value = row.number(kValue);
        transfer.to = memory_kind(row, kMemory);
        name_transfer(span, transfer, name_of_set);
    }

    void name_transfer(DeviceSpan& span, const Transfer& transfer, std::string (*name)(const Transfer&)) {
        span.transfer = builder_.transfer(transfer);
        const auto [it, is_new] = transfer_names_.try_emplace(span.transfer);
        if (is_new) it->second = builder_.text(name(transfer));
        span.name = it->second;
    }

    void wait(Table& row, DeviceSpan& span, DeviceExtra& extra) {
        enum { kType = kShared, kEvent };
        constexpr std::array<std::string_view, 5> kNames = {"Unknown Sync", "Event Sync", "Stream Wait Event",
                                                            "Stream Sync", "Context Sync"};
        constexpr int64_t kNoEvent = 0xffffffff;
        span.kind = DeviceKind::kSync;
        const int64_t type = row.number(kType, 0);
        const bool known = type > 0 && type < static_cast<int64_t>(kNames.size());
        span.name = builder_.text(kNames[known ? static_cast<size_t>(type) : 0]);
        if (const int64_t event = row.number(kEvent); event != kNoEvent) extra.event = event;
    }

    void graph(Table& row, DeviceSpan& span, DeviceExtra& extra) {
        span.kind = DeviceKind::kGraph;
        span.name = builder_.text("CUDA Graph " + std::to_string(row.number(kGraph, row.number(kShared))));
        if (extra.graph < 0) extra.graph = row.number(kShared);
    }

    Report& report_;
    ProfileBuilder& builder_;
    absl::flat_hash_set<int64_t> named_;
    std::pair<int64_t, int64_t> last_context_ = {-1, -1};  // process and context
    absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> device_of_context_;
    absl::flat_hash_map<TransferId, StringId> transfer_names_;
};

Status read_graph_nodes(Report& report, std::string_view table) {
    return report
        .read(table, {"start", "globalTid", "graphNodeId", "originalGraphNodeId"},
              [&](Table& row) {
                  GraphNode node;
                  if (!report.time(row, 0, node.time)) return;
                  node.thread = report.thread(row.number(1, 0), true);
                  node.node = row.number(2);
                  node.original = row.number(3);
                  report.builder().add_graph_node(node);
              })
        .map([](bool) {});
}

}  // namespace

Status read_cuda(Report& report) {
    OPSIGHT_TRY(CallReader(report).run());
    for (const char* table : {"CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS"})  // the second in older exports
        OPSIGHT_TRY(read_graph_nodes(report, table));
    return DeviceReader(report).run();
}

}  // namespace opsight::nsys
