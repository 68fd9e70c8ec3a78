// CUDA: calls of the API, and what ran on devices.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "import/nsys/api_names.h"
#include "import/nsys/call_chains.h"
#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

// What a wait is for, by the call that waited; empty: no call of the name waits for one thing.
std::string_view wait_of_call(std::string_view call) {
    const auto is = [call](std::string_view runtime, std::string_view driver) {
        return call.starts_with(runtime) || call.starts_with(driver);
    };
    if (is("cudaStreamWaitEvent", "cuStreamWaitEvent")) return "Stream Wait Event";
    if (is("cudaStreamSynchronize", "cuStreamSynchronize")) return "Stream Sync";
    if (is("cudaEventSynchronize", "cuEventSynchronize")) return "Event Sync";
    if (is("cudaDeviceSynchronize", "cuCtxSynchronize") || call == "cudaThreadSynchronize")
        return "Context Sync";
    return {};
}

// Name of what a call waits for, by process and correlation id.
using WaitNames = absl::flat_hash_map<std::pair<int64_t, int64_t>, StringId>;

class CallReader {
  public:
    CallReader(Report& report, WaitNames& waits) : report_(report), waits_(waits), chains_(report) {}
    Status run() {
        const Columns columns = {"start",  "end",         "globalTid",  "correlationId",
                                 "nameId", "returnValue", "eventClass", "callchainId"};
        OPSIGHT_TRY(chains_.load("CUDA_CALLCHAINS"));
        OPSIGHT_TRY(report_.read(
            kTable, columns, [this](Table& row) { find_backtrace(row); }, false,
            RowsWith{"eventClass", kBacktraceClass}));
        OPSIGHT_TRY(report_.read(kTable, columns, [this](Table& row) { take(row); }));
        if (!backtraces_.empty())
            OPSIGHT_TRY(report_.read(
                kTable, columns, [this](Table& row) { take_lone(row); }, false,
                RowsWith{"eventClass", kBacktraceClass}));
        api_names_.keep(report_.builder());
        return {};
    }

  private:
    static constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
    static constexpr int64_t kDriverClass = 1, kBacktraceClass = 67;

    enum { kStart, kEnd, kThread, kCorrelation, kName, kResult, kClass, kChain };
    struct Backtrace {
        int64_t chain = -1;
        bool has_call = false;
    };
    struct Name {
        StringId name, wait;
        bool driver = false;
    };

    // Where call chains are recorded, a call that has one has two rows: itself, and around it by some 200 ns
    // a row of another class that holds the chain.
    void find_backtrace(Table& row) {
        backtraces_[{row.number(kThread), row.number(kCorrelation)}].chain = row.number(kChain);
    }

    void take(Table& row) {
        if (row.number(kClass) == kBacktraceClass) return;
        const auto backtrace = backtraces_.empty()
                                   ? backtraces_.end()
                                   : backtraces_.find({row.number(kThread), row.number(kCorrelation)});
        if (backtrace == backtraces_.end()) return add(row, row.number(kChain));
        backtrace->second.has_call = true;
        add(row, row.has(kChain) ? row.number(kChain) : backtrace->second.chain);
    }

    // Of a call that has no other row.
    void take_lone(Table& row) {
        const auto known = backtraces_.find({row.number(kThread), row.number(kCorrelation)});
        if (known == backtraces_.end() || !known->second.has_call) return add(row, row.number(kChain));
        report_.note(Diag::kRepeatedCall,
                     std::string(report_.builder().view(name_of(row.number(kName)).name)));
    }

    void add(Table& row, int64_t chain) {
        HostSpan span;
        if (!report_.ended_times(row, kStart, kEnd, span.begin, span.dur)) return;
        const Name& name = name_of(row.number(kName));
        const bool told = row.has(kClass) && row.number(kClass) != kBacktraceClass;
        const bool driver = told ? row.number(kClass) == kDriverClass : name.driver;
        span.kind = driver ? HostKind::kDriverApi : HostKind::kRuntimeApi;
        span.name = name.name;
        span.track = report_.thread(row, kThread, true);
        if (name.wait.valid())
            waits_[{Report::process_key(row.number(kThread, 0)), row.number(kCorrelation)}] = name.wait;
        report_.builder().add_api(span, row.number(kCorrelation), row.small_number(kResult));
        if (const StringId stack = chains_.find(chain); stack.valid())
            report_.builder().extend_call_chain(stack);
    }

    const Name& name_of(int64_t id) {
        const auto [it, is_new] = names_.try_emplace(id);
        if (is_new || !report_.has_string(id)) {
            const std::string text(api_names_.without_version(report_.builder().view(report_.string(id))));
            const std::string_view wait = wait_of_call(text);
            it->second = {report_.builder().text(text),
                          wait.empty() ? StringId() : report_.builder().text(wait), is_driver_call(text)};
        }
        return it->second;
    }

    Report& report_;
    WaitNames& waits_;
    CallChains chains_;
    absl::flat_hash_map<std::pair<int64_t, int64_t>, Backtrace> backtraces_;  // by thread and correlation id
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
    DeviceReader(Report& report, const WaitNames& waits)
        : report_(report), builder_(report.builder()), waits_(waits) {}

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
        OPSIGHT_TRY(read_events());
        return read("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {"graphExecId"}, &DeviceReader::graph);
    }

  private:
    using Fill = void (DeviceReader::*)(Table&, DeviceSpan&, DeviceExtra&);

    Status read(std::string_view name, const Columns& own, Fill fill) {
        Columns columns = kSharedColumns;
        columns.insert(columns.end(), own.begin(), own.end());
        const auto row = [&](Table& table) {
            DeviceSpan span;
            if (!report_.ended_times(table, kStart, kEnd, span.begin, span.dur)) return;
            span.track = report_.stream(table.number(kPid), table.has(kPid), device_of(table, name),
                                        table.number(kContext, 0), stream_of(table));
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

    // When devices came by the events that calls had recorded on streams; older exports do not tell.
    Status read_events() {
        Columns columns = kSharedColumns;
        columns.insert(columns.end(), {"timestamp", "eventId"});
        return report_
            .read("CUPTI_ACTIVITY_KIND_CUDA_EVENT", columns,
                  [this](Table& row) {
                      constexpr size_t kTime = kShared, kEvent = kShared + 1;
                      if (row.number(kTime, 0) == 0)
                          return report_.note(Diag::kUnreadRow, "a CUDA event whose time is not told");
                      DeviceSpan span;
                      if (!report_.time(row, kTime, span.begin)) return;
                      span.kind = DeviceKind::kOther;
                      span.flags = kInstant;
                      span.name = builder_.text("Event Record");
                      span.track = report_.stream(row.number(kPid), row.has(kPid), device_of(row, row.name()),
                                                  row.number(kContext, 0), stream_of(row));
                      span.correlation = row.number(kCorrelation);
                      builder_.add_device(span);
                      DeviceExtra extra;
                      extra.event = row.number(kEvent);
                      builder_.extend_device(extra);
                  })
            .map([](bool) {});
    }

    // Waits all name device 0, whatever device their context is on: what ran in the context tells that one.
    int64_t device_of(const Table& row, std::string_view table) {
        const int64_t told = row.number(kDevice, 0);
        const bool is_told = row.has(kDevice) || table == kWaits;
        if (!is_told && !row.has(kContext)) report_.note_replaced(row, "no device: device 0 was taken");
        if (!row.has(kContext)) return told;
        const std::pair context(row.number(kPid), row.number(kContext));
        if (!is_told) {
            const auto known = device_of_context_.find(context);
            const int64_t device = known == device_of_context_.end() ? 0 : known->second;
            report_.note_replaced(row, fmt::format("no device: device {} was taken", device));
            return device;
        }
        if (table != kWaits) {
            if (context != last_context_) device_of_context_.try_emplace(last_context_ = context, told);
            return told;
        }
        const auto known = device_of_context_.find(context);
        return known == device_of_context_.end() ? told : known->second;
    }

    int64_t stream_of(const Table& row) {
        if (!row.has(kStream)) report_.note_replaced(row, "no stream: stream 0 was taken");
        return row.number(kStream, 0);
    }

    // -1: not told.
    int64_t bytes_of(const Table& row, size_t column) {
        const int64_t bytes = row.number(column);
        if (row.has(column) && bytes < 0)
            report_.note_replaced(row, fmt::format("{} bytes: taken as not known", bytes));
        return std::max<int64_t>(bytes, -1);
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
        if (kind < 0) return MemoryKind::kUnspecified;
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
        span.bytes = bytes_of(row, kBytes);
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
        span.bytes = bytes_of(row, kBytes);
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

    // Exporters do not agree on the numbers of syncType, even where their ENUM_CUPTI_SYNC_TYPE does: 2 stands
    // beside calls of cudaStreamSynchronize, cudaEventSynchronize and cudaStreamWaitEvent. So the call tells.
    void wait(Table& row, DeviceSpan& span, DeviceExtra& extra) {
        enum { kType = kShared, kEvent };
        constexpr int64_t kNoEvent = 0xffffffff;
        span.kind = DeviceKind::kSync;
        const auto known = waits_.find({Report::process_key(row.number(kPid, 0)), span.correlation});
        span.name = known != waits_.end()
                        ? known->second
                        : builder_.text(fmt::format("Sync of Type {}", row.number(kType, 0)));
        if (const int64_t event = row.number(kEvent); event != kNoEvent) extra.event = event;
    }

    void graph(Table& row, DeviceSpan& span, DeviceExtra& extra) {
        span.kind = DeviceKind::kGraph;
        span.name = builder_.text("CUDA Graph " + std::to_string(row.number(kGraph, row.number(kShared))));
        if (extra.graph < 0) extra.graph = row.number(kShared);
    }

    Report& report_;
    ProfileBuilder& builder_;
    const WaitNames& waits_;
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
                  node.thread = report.thread(row, 1, true);
                  node.node = row.number(2);
                  node.original = row.number(3);
                  report.builder().add_graph_node(node);
              })
        .map([](bool) {});
}

}  // namespace

Status read_cuda(Report& report) {
    WaitNames waits;
    OPSIGHT_TRY(CallReader(report, waits).run());
    for (const char* table : {"CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS"})  // the second in older exports
        OPSIGHT_TRY(read_graph_nodes(report, table));
    return DeviceReader(report, waits).run();
}

}  // namespace opsight::importer::nsys
