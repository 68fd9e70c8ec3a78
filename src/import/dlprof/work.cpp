// API calls, and what they put on devices. DLProf keeps neither streams nor correlation ids: all work of a
// device stands on one track, and a call is known by its thread and its times.
#include <fmt/format.h>

#include <array>

#include "import/dlprof/database.h"

namespace opsight::dlprof {
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
        OPSIGHT_TRY(read("read_only_cuda_calls", {"name_id", "name"}, &WorkReader::call));
        OPSIGHT_TRY(read("read_only_kernels",
                         {"name_id", "long_name_id", "uses_tc", "grid_id", "block_id", "name", "long_name"},
                         &WorkReader::kernel));
        OPSIGHT_TRY(read("read_only_memcpys", {"num_bytes", "copy_kind"}, &WorkReader::copy));
        OPSIGHT_TRY(read("read_only_memsets", {"num_bytes"}, &WorkReader::set));
        return read("read_only_cuda_syncs", {"sync_type", "event_id"}, &WorkReader::wait);
    }

  private:
    Status read(std::string_view name, const Columns& own, void (WorkReader::*take)(Table&)) {
        Columns columns = kSharedColumns;
        columns.insert(columns.end(), own.begin(), own.end());
        return report_.read(name, columns, [this, take](Table& row) { (this->*take)(row); }).map([](bool) {});
    }

    // The correlation id of the row's API call, which is added where it was not met before; -1: it has none.
    int64_t call_of(Table& row, std::string_view kind, StringId name = {}) {
        HostSpan span;
        if (!row.has(kApiStart) && !row.has(kApiStop)) return -1;
        if (!report_.times(row, kApiStart, kApiStop, span.begin, span.dur, span.flags)) return -1;
        const int64_t thread = Database::thread_id(row, kProcess, kThread);
        const auto [it, is_new] = calls_.try_emplace({thread, span.begin, span.dur}, calls_.size() + 1);
        if (!is_new) return it->second;
        const OpFacts* op = op_of(row);
        if (!name.valid() || name.value == 0)
            name = op && op->unassociated && op->api.value != 0 ? op->api : builder_.text(kind);
        span.name = name;
        const std::string_view text = builder_.view(name);
        const bool driver = text.starts_with("cu") && !text.starts_with("cuda");
        span.kind = driver ? HostKind::kDriverApi : HostKind::kRuntimeApi;
        span.track = report_.thread(thread, true);
        builder_.add_api(span, it->second);
        return it->second;
    }

    const OpFacts* op_of(const Table& row) {
        const auto found = database_.ops.find(row.number(kOp));
        return found == database_.ops.end() ? nullptr : &found->second;
    }

    bool place(Table& row, DeviceSpan& span, std::string_view kind) {
        if (!report_.times(row, kGpuStart, kGpuStop, span.begin, span.dur, span.flags)) return false;
        const int64_t thread = Database::thread_id(row, kProcess, kThread);
        span.track = report_.stream(Database::process_id(thread), true, row.number(kDevice, 0), 0, 0);
        if (builder_.track(span.track).name.value == 0)
            builder_.track(span.track).name = builder_.text("all streams");
        span.correlation = call_of(row, kind);
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

    void call(Table& row) { call_of(row, "(API call)", either(row, kShared, kShared + 1)); }

    StringId either(const Table& row, size_t first, size_t second) {
        const StringId text = database_.text(row, first);
        return text.value != 0 ? text : database_.text(row, second);
    }

    void kernel(Table& row) {
        enum { kName = kShared, kLongName, kUsesTc, kGrid, kBlock, kNameText, kLongNameText };
        DeviceSpan span;
        span.kind = DeviceKind::kKernel;
        if (!place(row, span, "(kernel launch)")) return;
        const StringId base = either(row, kName, kNameText);
        span.name = either(row, kLongName, kLongNameText);
        if (span.name.value == 0) span.name = base.value != 0 ? base : builder_.text("(name lost)");
        builder_.name_kernel({span.name, base, StringId(size_t{0})});
        LaunchConfig config;
        fill(config.grid, row, kGrid);
        fill(config.block, row, kBlock);
        span.config = builder_.launch_config(config);
        builder_.add_device(span);
    }

    void fill(int64_t (&to)[3], const Table& row, size_t column) {
        const auto found = sizes_.find(row.number(column));
        if (found == sizes_.end()) return;
        for (size_t axis = 0; axis < 3; ++axis)
            to[axis] = found->second[axis];
    }

    void copy(Table& row) {
        DeviceSpan span;
        span.kind = DeviceKind::kMemcpy;
        if (!place(row, span, "(copy)")) return;
        span.bytes = row.number(kShared);
        Transfer transfer;
        const int64_t kind = row.number(kShared + 1);
        const bool known = kind >= 0 && kind < int64_t{static_cast<int8_t>(CopyKind::kCount)};
        transfer.copy = known ? static_cast<CopyKind>(kind) : CopyKind::kUnknown;
        span.transfer = builder_.transfer(transfer);
        span.name = builder_.text(name_of_copy(transfer));
        builder_.add_device(span);
    }

    void set(Table& row) {
        DeviceSpan span;
        span.kind = DeviceKind::kMemset;
        if (!place(row, span, "(set)")) return;
        span.bytes = row.number(kShared);
        const Transfer transfer;
        span.transfer = builder_.transfer(transfer);
        span.name = builder_.text(name_of_set(transfer));
        builder_.add_device(span);
    }

    void wait(Table& row) {
        if (!row.has(kGpuStart)) {
            (void)call_of(row, "(synchronization)");
            return;
        }
        DeviceSpan span;
        span.kind = DeviceKind::kSync;
        if (!place(row, span, "(synchronization)")) return;
        span.name = builder_.text("wait");
        builder_.add_device(span);
    }

    Database& database_;
    Report& report_;
    ProfileBuilder& builder_;
    absl::flat_hash_map<int64_t, std::array<int64_t, 3>> sizes_;                 // grids and blocks
    absl::flat_hash_map<std::tuple<int64_t, int64_t, int64_t>, int64_t> calls_;  // thread, begin, duration
};

}  // namespace

Status read_work(Database& database) {
    return WorkReader(database).run();
}

}  // namespace opsight::dlprof
