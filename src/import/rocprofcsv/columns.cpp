#include "import/rocprofcsv/columns.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace opsight::importer::rocprofcsv {
namespace {

// Versions differ in capitals; rocprof 1 and 2 have names of their own, without a '_'.
constexpr std::pair<std::string_view, Field> kNames[] = {
    {"guid", Field::kGuid},
    {"domain", Field::kDomain},
    {"function", Field::kFunction},
    {"process_id", Field::kProcess},
    {"pid", Field::kProcess},
    {"thread_id", Field::kThread},
    {"tid", Field::kThread},
    {"correlation_id", Field::kCorrelation},
    {"start_timestamp", Field::kBegin},
    {"beginns", Field::kBegin},
    {"timestamp", Field::kBegin},
    {"end_timestamp", Field::kEnd},
    {"stop_timestamp", Field::kEnd},
    {"endns", Field::kEnd},
    {"agent_id", Field::kAgent},
    {"gpu-id", Field::kAgent},
    {"gpu_id", Field::kAgent},
    {"queue_id", Field::kQueue},
    {"queue-id", Field::kQueue},
    {"stream_id", Field::kStream},
    {"dispatch_id", Field::kDispatch},
    {"index", Field::kDispatch},
    {"kernel_name", Field::kKernel},
    {"kernelname", Field::kKernel},
    {"workgroup_size", Field::kBlock},
    {"wgr", Field::kBlock},
    {"workgroup_size_x", Field::kBlockX},
    {"workgroup_size_y", Field::kBlockY},
    {"workgroup_size_z", Field::kBlockZ},
    {"grid_size", Field::kGrid},
    {"grd", Field::kGrid},
    {"grid_size_x", Field::kGridX},
    {"grid_size_y", Field::kGridY},
    {"grid_size_z", Field::kGridZ},
    {"lds_block_size", Field::kSharedBytes},
    {"group_segment_size", Field::kSharedBytes},
    {"lds_per_workgroup", Field::kSharedBytes},
    {"lds", Field::kSharedBytes},
    {"scratch_size", Field::kScratchBytes},
    {"private_segment_size", Field::kScratchBytes},
    {"scratch_per_workitem", Field::kScratchBytes},
    {"scr", Field::kScratchBytes},
    {"vgpr_count", Field::kRegisters},
    {"arch_vgpr", Field::kRegisters},
    {"vgpr", Field::kRegisters},
    {"direction", Field::kDirection},
    {"source_agent_id", Field::kSource},
    {"destination_agent_id", Field::kDestination},
    {"counter_name", Field::kCounter},
    {"counter_value", Field::kValue},
    {"operation", Field::kOperation},
    {"message", Field::kMessage},
    {"roctx_id", Field::kRange},
    {"xcc_index", Field::kPart},
    {"node_id", Field::kNode},
    {"logical_node_id", Field::kLogicalNode},
    {"agent_type", Field::kType},
    {"name", Field::kName},
    {"product_name", Field::kProduct},
    {"cu_count", Field::kComputeUnits},
    {"wave_front_size", Field::kWave},
    {"gfx_target_version", Field::kGfxVersion},
    {"max_engine_clk_fcompute", Field::kClock},
};

// Of dispatches, beside what is used: what else is there is a counter.
constexpr std::string_view kNoCounters[] = {"queue-index", "queue_index", "accum_vgpr", "sgpr",
                                            "fbar",        "wave_size",   "sig",        "obj",
                                            "dispatchns",  "completens",  "durationns", "kernel_id"};

// What rocprof writes that nothing is made of, by columns that only it has.
constexpr std::pair<std::string_view, std::string_view> kUnused[] = {
    {"allocation_size", "address"},     // memory_allocation_trace
    {"alloc_flags", "operation"},       // scratch_memory_trace
    {"sample_timestamp", "exec_mask"},  // pc_sampling_...
    {"pc_sample", "shader_engines"},    // rocprofv2: pcs_trace
};

std::string lower(std::string_view text) {
    std::string low(text);
    std::transform(low.begin(), low.end(), low.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return low;
}

}  // namespace

std::optional<int64_t> whole_number(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Columns::Columns(const std::vector<std::string>& first_row) {
    place_.fill(kNone);
    for (const std::string& name : first_row)
        names_.push_back(lower(name));
    for (size_t i = 0; i < names_.size(); ++i) {
        const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                        [&](const auto& each) { return each.first == names_[i]; });
        if (known != std::end(kNames)) {
            size_t& place = place_[static_cast<size_t>(known->second)];
            if (place == kNone) place = i;
        } else if (std::find(std::begin(kNoCounters), std::end(kNoCounters), names_[i]) ==
                   std::end(kNoCounters)) {
            own_.push_back({i, first_row[i]});
        }
    }
    const auto is_there = [this](std::string_view name) {
        return std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    is_of_v2_ = is_there("gpu_id");
    const bool old = is_there("index") && is_there("kernelname") && is_there("gpu-id");
    table_ = settle(old || (is_of_v2_ && has(Field::kDispatch) && has(Field::kKernel)));
    const bool unused = std::any_of(std::begin(kUnused), std::end(kUnused), [&](const auto& both) {
        return is_there(both.first) && is_there(both.second);
    });
    if (table_ == Table::kNone && unused) table_ = Table::kUnused;
}

Table Columns::settle(bool dispatches) const {
    if (dispatches) return Table::kDispatches;
    if (has(Field::kNode) && has(Field::kType)) return Table::kAgents;
    if (has(Field::kCounter) && has(Field::kValue) && has(Field::kKernel)) return Table::kCounters;
    if (has(Field::kRange) && has(Field::kMessage) && has(Field::kBegin)) return Table::kMessages;
    if (!has(Field::kBegin) || !has(Field::kEnd)) return Table::kNone;
    if (has(Field::kDomain) && has(Field::kOperation)) return Table::kOps;
    if (has(Field::kDirection)) return Table::kCopies;
    if (has(Field::kKernel) && has(Field::kAgent)) return Table::kKernels;
    return has(Field::kFunction) && has(Field::kDomain) ? Table::kCalls : Table::kNone;
}

std::string_view Columns::of(const std::vector<std::string>& row, Field field) const {
    const size_t place = place_[static_cast<size_t>(field)];
    return place < row.size() ? std::string_view(row[place]) : std::string_view();
}

int64_t Columns::number(const std::vector<std::string>& row, Field field, int64_t otherwise) const {
    return whole_number(of(row, field)).value_or(otherwise);
}

}  // namespace opsight::importer::rocprofcsv
