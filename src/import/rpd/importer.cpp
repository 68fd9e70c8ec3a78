#include "import/rpd/importer.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "import/nsys/report.h"
#include "import/rocprof/markers.h"
#include "import/rocprof/told.h"
#include "import/text/api_names.h"
#include "model/source_limits.h"

namespace opsight::importer::rpd {
namespace {

using nsys::Table;

// Facts of the file, and parts of rows that are read here.
constexpr std::string_view kQuiet[] = {"rocpd_metadata", "rocpd_string", "rocpd_kernelcodeobject",
                                       "rocpd_op_inputSignals"};

class TraceReader {
  public:
    explicit TraceReader(nsys::Report& report) : report_(report), builder_(report.builder()) {}

    Status run() {
        OPSIGHT_TRY(report_.load_strings("rocpd_string", "string"));
        // Since schema 3 arguments are texts of their own.
        OPSIGHT_TRY(read("rocpd_ustring", {"id", "string"}, [this](Table& row) {
            arguments_.try_emplace(row.number(0), std::string(row.text(1)));
        }));
        OPSIGHT_TRY(read("rocpd_api_ops", {"api_id", "op_id"},
                         [this](Table& row) { calls_of_ops_[row.number(1)] = row.number(0); }));
        OPSIGHT_TRY(read_details());
        OPSIGHT_TRY(read(
            "rocpd_api", {"id", "pid", "tid", "start", "end", "apiName_id", "args_id"},
            [this](Table& row) { take_call(row); }, true));
        roctx_.finish(builder_);
        return read(
            "rocpd_op", {"id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"},
            [this](Table& row) { take_op(row); }, true);
    }

  private:
    struct Call {
        int64_t pid = 0;
        bool grid_in_threads = false;  // as calls of modules with extensions count it
    };

    Status read(std::string_view table, const nsys::Columns& columns, const std::function<void(Table&)>& row,
                bool counted = false) {
        return report_.read(table, columns, row, counted).map([](bool) {});
    }

    // What is told of launches and copies, by their call or, in older files, by what they launched.
    Status read_details() {
        for (const auto& [table, of, details] : {std::tuple("rocpd_kernelapi", "api_ptr_id", &by_call_),
                                                 std::tuple("rocpd_kernelop", "op_ptr_id", &by_op_)})
            OPSIGHT_TRY(read(table,
                             {of, "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ",
                              "groupSegmentSize", "privateSegmentSize"},
                             [details = details](Table& row) {
                                 LaunchConfig config;
                                 for (size_t axis = 0; axis < 3; ++axis) {
                                     config.grid[axis] = row.number(1 + axis);
                                     config.block[axis] = row.number(4 + axis);
                                 }
                                 config.static_shared_bytes = row.number(7);
                                 config.local_bytes_per_thread = row.number(8);
                                 (*details)[row.number(0)] = config;
                             }));
        for (const auto& [table, of, sizes] : {std::tuple("rocpd_copyapi", "api_ptr_id", &bytes_by_call_),
                                               std::tuple("rocpd_copyop", "op_ptr_id", &bytes_by_op_)})
            OPSIGHT_TRY(read(table, {of, "size"},
                             [sizes = sizes](Table& row) { (*sizes)[row.number(0)] = row.number(1); }));
        return {};
    }

    std::string_view text(int64_t id) { return builder_.view(report_.string(id)); }

    StringId argument(int64_t id) {
        if (!report_.has("rocpd_ustring")) return report_.string(id);
        const auto found = arguments_.find(id);
        if (found != arguments_.end()) return report_.intern(found->second);
        report_.note(Diag::kDanglingId, fmt::format("argument {}", id));
        return builder_.text("(name lost)");
    }

    RankId rank_of(int64_t pid) {
        return report_.rank_of(static_cast<int64_t>(static_cast<uint64_t>(pid) << 24), true);
    }

    void take_call(Table& row) {
        enum { kId, kPid, kTid, kStart, kEnd, kName, kArguments };
        HostSpan span;
        if (!report_.ended_times(row, kStart, kEnd, span.begin, span.dur)) return;
        const int64_t pid = row.number(kPid, 0);
        span.name = report_.string(row.number(kName));
        const std::string_view name = builder_.view(span.name);
        span.track = builder_.host_track(rank_of(pid), pid, row.number(kTid, 0));
        if (name == "UserMarker") return roctx_.add(span, argument(row.number(kArguments)));
        // The tracer records CUDA, too.
        const bool runtime = name.starts_with("hip") || name.starts_with("cuda");
        if (runtime || name.starts_with("hsa") || is_driver_call(name)) {
            calls_[row.number(kId)] = {
                pid, name.find("ExtModuleLaunch") != name.npos || name.find("HccModuleLaunch") != name.npos};
            span.kind = runtime ? HostKind::kRuntimeApi : HostKind::kDriverApi;
            return builder_.add_api(span, row.number(kId));
        }
        span.kind = HostKind::kLibrary;
        builder_.add_host(span, builder_.text("RPD").value);
    }

    void take_op(Table& row) {
        enum { kId, kGpu, kQueue, kStart, kEnd, kDescription, kType };
        DeviceSpan span;
        if (!report_.ended_times(row, kStart, kEnd, span.begin, span.dur)) return;
        if (span.begin == 0 && span.dur == 0) return report_.note(Diag::kMissingEnd, "work without times");
        const int64_t id = row.number(kId);
        const auto of = calls_of_ops_.find(id);
        if (of != calls_of_ops_.end()) span.correlation = of->second;
        const auto call = calls_.find(span.correlation);
        const RankId rank = call == calls_.end() ? report_.rank_without_pid() : rank_of(call->second.pid);
        fill(id, text(row.number(kType)), text(row.number(kDescription)), span);
        span.track =
            builder_.stream_track(TrackKind::kDeviceStream, builder_.device(rank, row.number(kGpu, 0)), -1,
                                  row.number(kQueue, 0), call == calls_.end() ? 0 : call->second.pid);
        builder_.add_device(span);
    }

    // By the type of an op ("KernelExecution", "CopyHostToDevice", "FillBuffer", "Marker"); only kernels are
    // described.
    void fill(int64_t id, std::string_view type, std::string_view description, DeviceSpan& span) {
        const auto has = [type](std::string_view part) { return type.find(part) != type.npos; };
        if (has("Copy")) {
            Transfer transfer;
            transfer.copy = has("HostToDevice")     ? CopyKind::kHostToDevice
                            : has("DeviceToHost")   ? CopyKind::kDeviceToHost
                            : has("DeviceToDevice") ? CopyKind::kDeviceToDevice
                                                    : CopyKind::kUnknown;
            span.kind = DeviceKind::kMemcpy;
            span.bytes = std::max<int64_t>(
                -1, find_detail(bytes_by_op_, bytes_by_call_, id, span.correlation).value_or(-1));
            span.transfer = builder_.transfer(transfer);
            span.name = builder_.text(name_of_copy(transfer));
        } else if (has("Fill")) {
            span.kind = DeviceKind::kMemset;
            span.name = report_.intern(type);
        } else if (description.empty() && !has("Kernel")) {
            span.kind = DeviceKind::kOther;
            span.name = report_.intern(type);
        } else {
            span.kind = DeviceKind::kKernel;
            span.name = report_.intern(description.empty() ? type : description);
            if (auto config = find_detail(by_op_, by_call_, id, span.correlation)) {
                const auto call = calls_.find(span.correlation);
                if (call != calls_.end() && call->second.grid_in_threads) rocprof::count_blocks(*config);
                span.config = builder_.launch_config(*config);
            }
        }
    }

    template <class Map>
    static std::optional<typename Map::mapped_type> find_detail(const Map& by_op, const Map& by_call,
                                                                int64_t op, int64_t call) {
        if (const auto found = by_op.find(op); found != by_op.end()) return found->second;
        if (const auto found = by_call.find(call); found != by_call.end()) return found->second;
        return std::nullopt;
    }

    nsys::Report& report_;
    ProfileBuilder& builder_;
    absl::flat_hash_map<int64_t, std::string> arguments_;
    absl::flat_hash_map<int64_t, int64_t> calls_of_ops_, bytes_by_call_, bytes_by_op_;
    absl::flat_hash_map<int64_t, LaunchConfig> by_call_, by_op_;
    absl::flat_hash_map<int64_t, Call> calls_;
    rocprof::Markers roctx_;
};

Status read_database(nsys::Report& report) {
    OPSIGHT_TRY(TraceReader(report).run());
    report.builder().info().producer = "rocmProfileData";
    set_kernels_of_cuda_or_hip(report.builder().info());
    if (report.events() == 0)
        return fail("is a trace of rocmProfileData without a call or work of a GPU", report.file(), {},
                    "record again: runTracer.sh -o trace.rpd python3 train.py");
    report.note_unread(kQuiet);
    return {};
}

}  // namespace

Result<nsys::ReportFacts> import_trace(const std::string& path, const nsys::ReadOptions& options,
                                       ProfileBuilder& builder) {
    return nsys::import_tables(path, options, builder, {}, read_database);
}

}  // namespace opsight::importer::rpd
