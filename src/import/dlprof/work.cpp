// API calls, and what they put on devices. DLProf keeps neither streams nor correlation ids: all work of a
// device stands on one track, and a call is known by its thread and its times.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "import/dlprof/database.h"
#include "import/nsys/api_names.h"

namespace opsight::importer::dlprof {
namespace {

// Columns that all kinds of work share; they come first in every list.
enum { kOp, kApiStart, kApiStop, kGpuStart, kGpuStop, kDevice, kProcess, kThread, kShared };
const Columns kSharedColumns = {"read_only_ops_id", "api_start", "api_stop",   "gpu_start",
                                "gpu_stop",         "device_id", "process_id", "thread_id"};

class WorkReader {
  public:
    explicit WorkReader(Database& database)
        : database_(database), report_(database.report()), builder_(database.builder()) {}

    Status run() {
        OPSIGHT_TRY(report_.read(
            "read_only_grid_block", {"id", "x", "y", "z"},
            [this](Table& row) {
                const int64_t id = row.number(0, static_cast<int64_t>(sizes_.size()) + 1);
                sizes_.try_emplace(id, std::array{row.number(1), row.number(2), row.number(3)});
            },
            false));
        // First the calls that have names: a launch among them is met again with its work.
        add_pseudo_calls();
        OPSIGHT_TRY(read("read_only_cuda_calls", {"name_id", "name"}, &WorkReader::call));
        OPSIGHT_TRY(read("read_only_kernels",
                         {"name_id", "long_name_id", "uses_tc", "grid_id", "block_id", "name", "long_name"},
                         &WorkReader::kernel));
        OPSIGHT_TRY(read("read_only_memcpys", {"name_id", "num_bytes", "copy_kind"}, &WorkReader::copy));
        OPSIGHT_TRY(read("read_only_memsets", {"name_id", "num_bytes"}, &WorkReader::set));
        OPSIGHT_TRY(read("read_only_cuda_syncs", {"name_id", "sync_type", "event_id"}, &WorkReader::wait));
        names_.keep(builder_);
        if (tells_tensor_cores_) builder_.info().properties.emplace_back("source.tc_kernels", tc_kernels());
        if (!other_kernels_.empty())
            builder_.info().properties.emplace_back("source.other_kernels", std::move(other_kernels_));
        return {};
    }

  private:
    Status read(std::string_view name, const Columns& own, void (WorkReader::*take)(Table&)) {
        Columns columns = kSharedColumns;
        columns.insert(columns.end(), own.begin(), own.end());
        return report_.read(name, columns, [this, take](Table& row) { (this->*take)(row); }).map([](bool) {});
    }

    using CallKey = std::tuple<int64_t, int64_t, int64_t>;  // thread, begin, duration

    // Each is an API call that was made outside of all ops, with what DLProf says of its pseudo-op.
    void add_pseudo_calls() {
        for (const PseudoCall& pseudo : database_.pseudo_calls) {
            const OpFacts& op = database_.ops.at(pseudo.op);
            // Two of them may have the same times: what was launched then is of the first.
            const int64_t correlation = ++correlations_;
            calls_.try_emplace(CallKey(pseudo.thread, pseudo.begin, pseudo.dur), correlation);
            HostSpan span;
            span.begin = pseudo.begin;
            span.dur = pseudo.dur;
            span.flags = pseudo.flags;
            add_call(span, pseudo.thread, builder_.view(op.api), correlation);
            NvtxPayload payload;
            payload.type = NvtxPayload::Type::kText;
            payload.text = op.payload;
            builder_.extend_payload(payload);
        }
    }

    void add_call(HostSpan& span, int64_t thread, std::string_view name, int64_t correlation) {
        const std::string plain(names_.without_version(name));
        span.name = builder_.text(plain);
        span.kind = nsys::is_driver_call(plain) ? HostKind::kDriverApi : HostKind::kRuntimeApi;
        span.track = report_.thread(thread, true);
        builder_.add_api(span, correlation);
    }

    // The correlation id of the row's API call, which is added where it was not met before; -1: it has none.
    // `name`: empty where the row does not tell it.
    int64_t call_of(Table& row, std::string_view kind, StringId name) {
        HostSpan span;
        if (!row.has(kApiStart) && !row.has(kApiStop)) return -1;
        if (!report_.times(row, kApiStart, kApiStop, span.begin, span.dur, span.flags)) return -1;
        const int64_t thread = Database::thread_id(row, kProcess, kThread);
        const auto [it, is_new] = calls_.try_emplace(CallKey(thread, span.begin, span.dur));
        if (is_new) {
            it->second = ++correlations_;
            add_call(span, thread, name.value == 0 ? kind : builder_.view(name), it->second);
        }
        return it->second;
    }

    const OpFacts* op_of(const Table& row) {
        const auto found = database_.ops.find(row.number(kOp));
        return found == database_.ops.end() ? nullptr : &found->second;
    }

    bool place(Table& row, DeviceSpan& span, std::string_view kind, StringId call = StringId(size_t{0})) {
        if (!report_.times(row, kGpuStart, kGpuStop, span.begin, span.dur, span.flags)) return false;
        const int64_t thread = Database::thread_id(row, kProcess, kThread);
        span.track = report_.stream(Database::process_id(thread), true, row.number(kDevice, 0), 0, 0);
        if (builder_.track(span.track).name.value == 0)
            builder_.track(span.track).name = builder_.text("all streams");
        span.correlation = call_of(row, kind, call);
        check_op(row, thread, span);
        return true;
    }

    // DLProf names the op of all work. The analysis finds it by the call, as everywhere: the two are
    // compared.
    void check_op(const Table& row, int64_t thread, DeviceSpan& span) {
        if (!row.has(kOp)) return;
        const OpFacts* op = op_of(row);
        if (!op)
            return report_.note(Diag::kDanglingId, fmt::format("{}: op {}", row.name(), row.number(kOp)));
        if (op->unassociated || !row.has(kApiStart)) return;
        span.external_id = database_.instance_at(row.number(kOp), thread, row.number(kApiStart));
        if (span.external_id < 0)
            report_.note(Diag::kExternalIdDisagrees,
                         fmt::format("{}: launched outside of {}", row.name(), builder_.view(op->name)));
    }

    void call(Table& row) { (void)call_of(row, "(API call)", database_.either(row, kShared, kShared + 1)); }

    void kernel(Table& row) {
        enum { kName = kShared, kLongName, kUsesTc, kGrid, kBlock, kNameText, kLongNameText };
        DeviceSpan span;
        span.kind = DeviceKind::kKernel;
        if (!place(row, span, "(kernel launch)")) return;
        const StringId base = database_.either(row, kName, kNameText);
        span.name = database_.either(row, kLongName, kLongNameText);
        if (span.name.value == 0) span.name = base.value != 0 ? base : builder_.text("(name lost)");
        builder_.name_kernel({span.name, base, StringId(size_t{0})});
        tell(span, base, row.number(kUsesTc, 0) > 0);
        tells_tensor_cores_ |= row.has(kUsesTc);
        LaunchConfig config;
        fill(config.grid, row, kGrid);
        fill(config.block, row, kBlock);
        span.config = builder_.launch_config(config);
        builder_.add_device(span);
    }

    // Kernels are known by their long names. Rows of one long name that tell another short name or use of
    // Tensor Cores than its first row are told apart by the call that launched them.
    void tell(const DeviceSpan& span, StringId base, bool uses_tc) {
        const auto [it, is_new] = kernels_.try_emplace(span.name, base, uses_tc);
        if (is_new || it->second == std::pair(base, uses_tc) || span.correlation < 0) return;
        const nlohmann::json other = {{"launch", span.correlation},
                                      {"name", builder_.view(span.name)},
                                      {"short", builder_.view(base)},
                                      {"uses_tc", uses_tc}};
        other_kernels_.append(other_kernels_.empty() ? "" : "\n")
            .append(other.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }

    void fill(int64_t (&to)[3], const Table& row, size_t column) {
        const auto found = sizes_.find(row.number(column));
        if (found == sizes_.end()) return;
        for (size_t axis = 0; axis < 3; ++axis)
            to[axis] = found->second[axis];
    }

    void copy(Table& row) {
        enum { kName = kShared, kBytes, kKind };
        DeviceSpan span;
        span.kind = DeviceKind::kMemcpy;
        if (!place(row, span, "(copy)", database_.text(row, kName))) return;
        span.bytes = row.number(kBytes);
        Transfer transfer;
        const int64_t kind = row.number(kKind);
        const bool known = kind >= 0 && kind < int64_t{static_cast<int8_t>(CopyKind::kCount)};
        transfer.copy = known ? static_cast<CopyKind>(kind) : CopyKind::kUnknown;
        span.transfer = builder_.transfer(transfer);
        span.name = builder_.text(name_of_copy(transfer));
        builder_.add_device(span);
    }

    void set(Table& row) {
        DeviceSpan span;
        span.kind = DeviceKind::kMemset;
        if (!place(row, span, "(set)", database_.text(row, kShared))) return;
        span.bytes = row.number(kShared + 1);
        const Transfer transfer;
        span.transfer = builder_.transfer(transfer);
        span.name = builder_.text(name_of_set(transfer));
        builder_.add_device(span);
    }

    // A wait whose time on the device is not known has zeros there.
    void wait(Table& row) {
        const StringId name = database_.text(row, kShared);
        if (row.number(kGpuStart, 0) == 0 && row.number(kGpuStop, 0) == 0) {
            (void)call_of(row, "(synchronization)", name);
            return;
        }
        DeviceSpan span;
        span.kind = DeviceKind::kSync;
        if (!place(row, span, "(synchronization)", name)) return;
        span.name = builder_.text("wait");
        builder_.add_device(span);
    }

    std::string tc_kernels() const {
        std::string lines;
        std::set<StringId> names;
        for (const auto& [name, told] : kernels_)
            if (told.second) names.insert(name);
        for (const StringId name : names)
            lines.append(lines.empty() ? "" : "\n").append(builder_.view(name));
        return lines;
    }

    Database& database_;
    Report& report_;
    ProfileBuilder& builder_;
    absl::flat_hash_map<int64_t, std::array<int64_t, 3>> sizes_;  // grids and blocks
    absl::flat_hash_map<CallKey, int64_t> calls_;                 // their correlation ids
    int64_t correlations_ = 0;
    nsys::ApiNames names_;
    // Short name, and whether DLProf took it for one that uses Tensor Cores: of the first row of a long name.
    absl::flat_hash_map<StringId, std::pair<StringId, bool>> kernels_;
    std::string other_kernels_;  // rows that tell something else, as lines of JSON
    bool tells_tensor_cores_ = false;
};

}  // namespace

Status read_work(Database& database) {
    return WorkReader(database).run();
}

}  // namespace opsight::importer::dlprof
