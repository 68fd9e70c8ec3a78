#include "query/tables/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/ask/definitions.h"
#include "query/ask/page.h"
#include "query/model/model_graph.h"
#include "query/reports/characterize.h"
#include "query/reports/op_groups.h"
#include "query/reports/rank_reports.h"
#include "query/reports/source_reports.h"
#include "query/reports/viewer_tables.h"
#include "query/reports/work.h"

namespace opsight::query {
namespace {

using Maker = Result<ResultTable> (*)(Session&, const TableSubject&, const TableShape&);

template <Result<Report> (*make)(Session&, const TableShape&)>
Result<ResultTable> of_report(Session& session, const TableSubject&, const TableShape& shape) {
    OPSIGHT_ASSIGN(Report report, make(session, shape));
    ResultTable table = std::move(report.sections.at(0).table);
    table.notes.insert(table.notes.end(), report.notes.begin(), report.notes.end());
    return table;
}

template <Result<ResultTable> (*make)(Session&, const TableShape&)>
Result<ResultTable> plain(Session& session, const TableSubject&, const TableShape& shape) {
    return make(session, shape);
}

Result<ResultTable> iteration_kernels(Session& session, const TableSubject&, const TableShape& shape) {
    return searched_instances(session, shape);
}

// With what only a page needs: the evidence of Tensor Core use, and the place on the timeline.
Result<ResultTable> all_kernel_instances(Session& session, const TableSubject&, const TableShape& shape) {
    return searched_instances(session, shape, true);
}

// What a table is asked about beside the range.
enum class Needs : uint8_t { kNothing, kOp, kIteration, kOpOfIteration };

struct Entry : ReportInfo {
    constexpr Entry(std::string_view of, Maker maker, Needs what = Needs::kNothing,
                    std::string_view keys = {})
        : ReportInfo{of, {}}, make(maker), needs(what), shown(keys) {}
    Maker make;
    Needs needs;
    // Keys of the columns that are shown at first, in an order that reads well: what most readers want.
    // Of "kernels|op_calls" the second where the first says nothing without device work. Empty: all.
    std::string_view shown;
};

// To add a table to the page: its maker, a line here, its name in docs/openapi.json, and a page that shows
// it.
constexpr Entry kTables[] = {
    {"detailed", of_report<detailed_report>, Needs::kNothing,
     "op_name direction calls critical_path_ns self_gpu_time_ns total_gpu_time_ns self_cpu_time_ns "
     "total_cpu_time_ns tc_eligible using_tc kernels avg_gpu_time_ns avg_cpu_time_ns "
     "total_cpu_overhead_ns total_gpu_idle_ns layer shapes dtypes"},
    {"iteration", iteration_kernels},
    {"kernel", of_report<kernel_report>, Needs::kNothing,
     "kernel_name calls critical_path_ns total_gpu_time_ns kernel_share_pct avg_gpu_time_ns uses_tc "
     "tc_evidence "
     "op_name direction class min_gpu_time_ns max_gpu_time_ns occupancy_pct waves layer"},
    {"kernel_name", of_report<kernel_name_report>},
    {"op_names", plain<op_names>},
    {"tensor_core", of_report<tensor_core_report>, Needs::kNothing,
     "op_name direction uses_tc tc_utilization_pct total_gpu_time_ns tc_gpu_time_ns "
     "non_tc_gpu_time_ns unknown_tc_gpu_time_ns calls kernels tc_kernels non_tc_kernels "
     "tc_evidence dtypes shapes non_tc_kernel_names tc_kernel_names layer"},
    {"op_type", of_report<op_type_report>, Needs::kNothing,
     "op_type ops calls self_gpu_time_ns total_gpu_time_ns avg_gpu_time_ns max_gpu_time_ns "
     "self_cpu_time_ns total_cpu_time_ns avg_cpu_time_ns p95_cpu_time_ns total_cpu_overhead_ns "
     "total_gpu_idle_ns"},
    {"group_op", of_report<group_op_report>},
    {"layers", plain<layer_list>, Needs::kNothing,
     "name calls critical_path_ns total_gpu_time_ns|total_cpu_time_ns forward_gpu_time_ns "
     "backward_gpu_time_ns forward_cpu_time_ns backward_cpu_time_ns own_gpu_time_ns|own_cpu_time_ns kernels "
     "tc_ops tc_eligible_ops"},
    {"kernels", all_kernel_instances, Needs::kNothing,
     "kernel_name gpu_start_ns gpu_duration_ns op_name iteration uses_tc tc_evidence "
     "launch_delay_ns api_duration_ns rank device stream direction grid_x grid_y grid_z block_x "
     "block_y block_z registers_per_thread shared_bytes occupancy_pct waves layer"},
    {"ops_kernels", op_kernels, Needs::kOp,
     "kernel_name calls total_gpu_time_ns kernel_share_pct avg_gpu_time_ns uses_tc tc_evidence "
     "class min_gpu_time_ns max_gpu_time_ns occupancy_pct waves"},
    {"op_stacks", op_stacks, Needs::kOp},
    {"iteration_ops", of_report<detailed_report>, Needs::kIteration,
     "op_name calls self_gpu_time_ns total_gpu_time_ns kernels using_tc direction self_cpu_time_ns "
     "layer"},
    {"iteration_op_kernels", op_kernel_instances, Needs::kOpOfIteration,
     "kernel_name gpu_start_ns gpu_duration_ns uses_tc tc_evidence launch_delay_ns api_duration_ns "
     "device stream grid_x grid_y grid_z block_x block_y block_z registers_per_thread shared_bytes "
     "occupancy_pct waves"},
    {"iterations", plain<iteration_list>, Needs::kNothing,
     "iteration rank name begin_ns duration_ns op_calls cpu_time_ns kernels kernel_time_ns "
     "kernel_share_pct tc_kernels tc_kernel_time_ns memory_time_ns warmup"},
    {"iteration_choice", plain<iteration_list>, Needs::kNothing,
     "iteration rank duration_ns kernels|op_calls"},
    {"devices", plain<device_use>, Needs::kNothing,
     "rank device name gpu_utilization_pct kernel_utilization_pct busy_ns idle"},
    {"streams", plain<stream_use>, Needs::kNothing,
     "rank device stream stream_name busy_pct spans busy_ns host_wait_ns queued_wait_ns "
     "other_wait_ns queue_depth_mean occupancy_pct"},
    {"diagnostics", plain<diagnostic_list>, Needs::kNothing, "severity key count help"},
    {"ranges", plain<range_list>, Needs::kNothing,
     "range domain calls self_time_ns self_share_pct total_time_ns avg_time_ns median_time_ns "
     "p95_time_ns max_time_ns projected_gpu_time_ns gpu_ops threads"},
    {"key_ops", key_ops, Needs::kNothing, "name kind calls iterations_now total_cpu_time_ns"},
    {"memory_allocators", memory_allocators, Needs::kNothing,
     "op_name device_type device allocated_bytes largest_bytes allocations kept_bytes direction "
     "layer shapes"},
    {"memory_peak", of_report<memory_peak_report>, Needs::kNothing,
     "holder_name device_type device bytes share_pct allocations largest_bytes op_name direction layer "
     "stack"},
    {"communication", communication, Needs::kNothing,
     "collective exchange rank device calls total_gpu_time_ns avg_gpu_time_ns max_gpu_time_ns dtype "
     "in_elements out_elements group group_size"},
    {"overlap", plain<communication_overlap>},
    {"collectives", of_report<collectives_report>, Needs::kNothing,
     "collective exchange ranks bytes collectives total_gpu_time_ns waiting_ns waiting_pct first_waiting_ns "
     "last_rank "
     "last_times "
     "transfer_ns bytes_per_s bus_bytes_per_s dtype group matched"},
    {"collective_calls", of_report<rank_report<collective_calls>>, Needs::kNothing,
     "collective exchange bytes iteration first_begin_ns duration_ns transfer_ns waiting_ns last_rank cause "
     "cause_op "
     "bus_bytes_per_s peak_pct state group ranks"},
    {"collective_members", of_report<rank_report<collective_members>>},
    {"groups", of_report<rank_report<comm_groups>>, Needs::kNothing,
     "group group_ranks kind ranks recorded collectives unmatched bytes total_time_ns waiting_ns waiting_pct "
     "exposed_ns "
     "last_rank "
     "last_waiting_ns evidence"},
    {"ranks", of_report<rank_report<rank_sums>>},
    {"rank_iterations", of_report<rank_report<rank_iterations>>},
    {"stragglers", plain<stragglers>},
    {"straggler_hosts", plain<straggler_hosts>},
    {"rank_layers", of_report<rank_report<rank_layers>>},
    {"rank_path", of_report<rank_report<rank_path>>},
    {"clocks", of_report<rank_report<rank_clocks>>},
    {"roofline", plain<roofline_ops>, Needs::kNothing,
     "op_name layer direction time_ns time_pct flops bytes_min intensity flops_per_s bytes_per_s "
     "bound_ns efficiency_pct limiter remarks"},
    {"roofline_layers", plain<roofline_layers>, Needs::kNothing,
     "layer direction time_ns time_pct flops bytes_min intensity flops_per_s bytes_per_s bound_ns "
     "efficiency_pct limiter remarks"},
    {"roofline_kernels", plain<roofline_kernels>, Needs::kNothing,
     "kernel_name uses_tc time_ns time_pct flops bytes_min intensity flops_per_s bytes_per_s "
     "bound_ns efficiency_pct limiter remarks"},
    {"roofline_ceilings", plain<roofline_ceilings>},
    {"uncounted", plain<uncounted_work>, Needs::kNothing, "op_type time_ns time_pct spans why"},
    {"characterize_layers", plain<characterize_layers>, Needs::kNothing,
     "layer time_ns time_pct backward_ratio off_cpu_pct stalled_pct instructions instructions_per_cycle "
     "l1_hit_pct l2_hit_pct "
     "llc_hit_pct dram_bytes_per_s flops_per_s bytes_per_s working_set_bytes of_l2_pct page_faults "
     "context_switches sources"},
    {"characterize_op_types", plain<characterize_op_types>, Needs::kNothing,
     "op_type time_ns time_pct backward_ratio off_cpu_pct stalled_pct instructions instructions_per_cycle "
     "l1_hit_pct l2_hit_pct "
     "llc_hit_pct dram_bytes_per_s flops_per_s bytes_per_s working_set_bytes of_l2_pct page_faults "
     "context_switches sources"},
    {"characterize_kernels", plain<characterize_kernels>, Needs::kNothing,
     "kernel_name time_ns time_pct backward_ratio off_cpu_pct stalled_pct instructions "
     "instructions_per_cycle l1_hit_pct l2_hit_pct "
     "llc_hit_pct dram_bytes_per_s flops_per_s bytes_per_s working_set_bytes of_l2_pct page_faults "
     "context_switches sources"},
    {"model_nodes", model_nodes},
    {"api", of_report<api_report>, Needs::kNothing,
     "function api calls total_time_ns share_pct avg_time_ns median_time_ns max_time_ns failed"},
    {"copies", of_report<copy_report>, Needs::kNothing,
     "operation from_memory to_memory device count total_time_ns bytes bytes_per_s avg_bytes "
     "max_bytes"},
    {"migrations", plain<migration_sums>, Needs::kNothing,
     "operation cause device count total_time_ns bytes bytes_per_s"},
    {"page_faults", plain<fault_sums>, Needs::kNothing, "side access device faults events total_time_ns"},
    {"os_runtime", of_report<os_call_report>, Needs::kNothing,
     "function traced_as calls total_time_ns share_pct avg_time_ns median_time_ns max_time_ns "
     "threads"},
    {"file_access", of_report<file_report>, Needs::kNothing,
     "access calls total_time_ns share_pct avg_time_ns median_time_ns max_time_ns bytes "
     "bytes_per_s"},
    {"libraries", of_report<library_report>, Needs::kNothing,
     "function library calls total_time_ns share_pct avg_time_ns median_time_ns max_time_ns"},
    {"messages", of_report<message_report>, Needs::kNothing,
     "own_rank function calls total_time_ns share_pct avg_time_ns median_time_ns max_time_ns bytes "
     "sent_bytes received_bytes"},
    {"counters", of_report<counter_report>, Needs::kNothing,
     "subject device counter samples avg min median p95 max"},
    {"cpu_samples", of_report<sample_report>, Needs::kNothing,
     "function self_samples self_share_pct samples share_pct"},
    {"scheduling", of_report<scheduling_report>, Needs::kNothing,
     "process thread on_cpu_ns on_cpu_pct stretches avg_ns max_ns cpus"},
};

const Registry<Entry>& registry() {
    static const Registry<Entry> all({{}, {}, "there is no table", "the tables are {}", {}},
                                     {std::begin(kTables), std::end(kTables)});
    return all;
}

const Entry* entry_of(std::string_view name) {
    return registry().find(name);
}

// What stands before the next `end`, which is taken from the text with it.
std::string_view take(std::string_view& text, char end) {
    const size_t at = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
}

std::vector<std::string_view> shown_of(const ResultTable& table, std::string_view wanted, bool device_work) {
    const auto column = [&table](std::string_view key) {
        return std::find_if(table.columns.begin(), table.columns.end(),
                            [key](const Column& each) { return each.key == key; });
    };
    std::vector<std::string_view> keys;
    while (!wanted.empty()) {
        std::string_view choice = take(wanted, ' '), key = take(choice, '|');
        const auto first = column(key);
        if (!device_work && !choice.empty() && first != table.columns.end() && first->device_only)
            key = choice;
        // A column that only some ask for.
        if (key != "critical_path_ns" || first != table.columns.end()) keys.push_back(key);
    }
    return keys;
}

// A report's table can be several of the page's.
void finish(ResultTable& table, const Entry& entry, bool device_work) {
    table.name = entry.name;
    table.shown = shown_of(table, entry.shown, device_work);
    describe(table);
}

}  // namespace

const Family& table_family() {
    return registry().family();
}

bool needs_op(std::string_view table) {
    const Entry* entry = entry_of(table);
    return entry && (entry->needs == Needs::kOp || entry->needs == Needs::kOpOfIteration);
}
bool needs_iteration(std::string_view table) {
    const Entry* entry = entry_of(table);
    return entry && (entry->needs == Needs::kIteration || entry->needs == Needs::kOpOfIteration);
}

std::string kept_name(std::string_view name, const TableSubject& subject, const TableShape& shape) {
    return fmt::format("{} {} {} {} {} {} {}", name, shape.by_rank, shape.by_host, shape.by_device,
                       shape.merge_numbers, shape.critical_path, subject.op.value_or(-1));
}

Result<ResultTable> make_table(Session& session, std::string_view name, const TableSubject& subject,
                               const TableShape& shape) {
    OPSIGHT_ASSIGN(const Entry* entry, registry().get(name));
    OPSIGHT_TRY(check_groups(session, shape));
    const std::string kept_as = kept_name(name, subject, shape);
    ResultTable table;
    if (const auto kept = kept_table(session, kept_as)) {
        OPSIGHT_ASSIGN(table, ask(session, kept->question, shape));
        table.notes = kept->notes;
        finish(table, *entry, session.contents().device_work);
        return table;
    }
    TableShape keeping = shape;
    if (keeping.page) keeping.page->keep_as = kept_as;
    OPSIGHT_ASSIGN(table, entry->make(session, subject, keeping));
    if (const auto kept = kept_table(session, kept_as)) kept->notes = table.notes;
    finish(table, *entry, session.contents().device_work);
    return table;
}

}  // namespace opsight::query
