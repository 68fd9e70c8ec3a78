#include "query/reports/reports.h"

#include "query/ask/definitions.h"
#include "query/reports/characterize.h"
#include "query/reports/op_groups.h"
#include "query/reports/rank_reports.h"
#include "query/reports/source_reports.h"
#include "query/reports/what_if.h"

namespace opsight::query {
namespace {

struct Entry : ReportInfo {
    Result<Report> (*make)(Session&, const TableShape&);
};

// To add a report: a file of sql/, a maker in a file of its own, and a line here.
constexpr Entry kReports[] = {
    {{"summary", "what the run took: wall clock, shares of the time, use of the devices"}, summary_report},
    {{"detailed", "ops by name, layer, direction and shapes, with their times on CPU and GPU"},
     detailed_report},
    {{"iteration", "iterations, and the kernels that were launched in each"}, iteration_report},
    {{"kernel", "kernels by the op that launched them"}, kernel_report},
    {{"kernel_name", "kernels summed by name, whatever launched them"}, kernel_name_report},
    {{"tensor_core", "ops that could use Tensor Cores, and how much of their time does"}, tensor_core_report},
    {{"op_type", "ops summed by type"}, op_type_report},
    {{"group_op", "layers of the model, with all that they hold"}, group_op_report},
    {{"ranges", "ranges that the program names (NVTX, annotations): calls, own and total time, GPU time"},
     range_report},
    {{"roofline", "counted work beside what the device can do: FLOPs, bytes, intensity, limiter"},
     roofline_report},
    {{"expected_vs_measured", "FLOPs and bytes that the shapes tell, beside those that counters measured"},
     expected_vs_measured_report},
    {{"characterize",
      "layers, op types and kernels by parameter: stalls, instructions, caches, memory, and sources"},
     characterize_report},
    {{"api", "calls of the CUDA or HIP API by function"}, api_report},
    {{"copies", "copies and sets by kind of memory, with their rate"}, copy_report},
    {{"collectives",
      "communication by operation, group and size: its rate, how long ranks waited, and for which"},
     collectives_report},
    {{"collective_calls",
      "each of these operations: who came last, what that rank did meanwhile, waiting and "
      "transfer"},
     rank_report<collective_calls>},
    {{"collective_members", "each rank's part of each of these"}, rank_report<collective_members>},
    {{"groups", "process groups: what each is for, what its communication costs, and for whom they wait"},
     rank_report<comm_groups>},
    {{"ranks", "ranks of the job side by side: what their time went to, how late they are"},
     rank_report<rank_sums>},
    {{"rank_iterations", "each iteration of each rank, with its score beside the others and its own past"},
     rank_report<rank_iterations>},
    {{"stragglers", "ranks, and of several hosts hosts, that others wait for, and why"}, stragglers_report},
    {{"rank_layers", "layers by how unequally long their kernels take on the ranks"},
     rank_report<rank_layers>},
    {{"rank_path", "the critical path across ranks: who is last between joint collectives"},
     rank_report<rank_path>},
    {{"clocks", "clocks of the ranks, and how they were corrected"}, rank_report<rank_clocks>},
    {{"unified_memory", "migrations and page faults of unified memory"}, unified_memory_report},
    {{"os_runtime", "calls of the C library and the system by function"}, os_call_report},
    {{"file_access", "accesses to files"}, file_report},
    {{"libraries", "calls of libraries such as cuDNN and cuBLAS"}, library_report},
    {{"messages", "calls of MPI and UCX, with their bytes"}, message_report},
    {{"counters", "what was sampled of GPUs and network cards, or counted of kernels"}, counter_report},
    {{"memory_peak", "what holds the memory when most is allocated, by call stack or op"},
     memory_peak_report},
    {{"cpu_samples", "functions in samples of CPUs"}, sample_report},
    {{"critical_path", "what the iterations waited for, one after another, as they are replayed"},
     critical_path_report},
    {{"scheduling", "how long threads were on a CPU"}, scheduling_report},
};

const Registry<Entry>& registry() {
    static const Registry<Entry> all(
        {"report", "--report", "there is no report", "the reports are {} and all", {}},
        {std::begin(kReports), std::end(kReports)});
    return all;
}

Result<Report> described(Result<Report> report) {
    if (report)
        for (Section& section : report->sections)
            describe(section.table);
    return report;
}

}  // namespace

const Family& report_family() {
    return registry().family();
}

Result<Report> make_report(Session& session, std::string_view name, const TableShape& shape) {
    OPSIGHT_ASSIGN(const Entry* entry, registry().get(name));
    OPSIGHT_TRY(check_groups(session, shape));
    OPSIGHT_ASSIGN(Report report, described(entry->make(session, shape)));
    note_groups(report, shape);
    return report;
}

}  // namespace opsight::query
