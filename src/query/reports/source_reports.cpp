#include "query/reports/source_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "query/reports/memory.h"
#include "query/reports/rank_reports.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

// What each report is on, and how it is recorded.
struct Kind {
    std::string_view report;
    const char* what;
    const char* how;
};
constexpr Kind kKinds[] = {
    {"api", "calls of CUDA's API", "nsys profile --trace=cuda"},
    {"copies", "copies and sets", "nsys profile --trace=cuda"},
    {"collectives", "collectives of devices", "a run on several GPUs"},
    {"unified_memory", "work of unified memory",
     "nsys profile --cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true"},
    {"os_runtime", "calls of the system", "nsys profile --trace=osrt"},
    {"file_access", "accesses to files", "nsys profile --trace=osrt --osrt-file-access=true"},
    {"libraries", "calls of libraries", "nsys profile --trace=cudnn,cublas,openacc,openmp"},
    {"messages", "calls of MPI or UCX", "nsys profile --trace=mpi,ucx"},
    {"counters", "counters",
     "nsys profile --gpu-metrics-devices=all or --nic-metrics=true, of kernels ncu --csv"},
    {"memory_peak", "changes of memory",
     "profile_memory=True of PyTorch's profiler, or a snapshot of torch.cuda.memory,"},
    {"cpu_samples", "samples of CPUs",
     "nsys profile --sample=process-tree, a CPU profile of pprof or folded stacks"},
    {"scheduling", "switches of threads", "nsys profile --cpuctxsw=process-tree"},
};

// Reports on ranks: there where there are several, or a collective of one. Their own notes say what is
// missing.
constexpr std::string_view kOfRanks[] = {
    "collective_calls", "collective_members", "groups",    "ranks", "rank_iterations",
    "stragglers",       "rank_layers",        "rank_path", "clocks"};

const Kind* kind_of(std::string_view report) {
    for (const Kind& kind : kKinds)
        if (kind.report == report) return &kind;
    return nullptr;
}

// Older tools write calls of MPI as ranges of NVTX, which tell neither sizes nor ranks.
Result<int64_t> mpi_ranges(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::message_ranges));
    return std::get<int64_t>(rows.rows.at(0)[0]);
}

Status note_missing(Session& session, const Kind& kind, Report& report) {
    std::string note = fmt::format("no {} were recorded ({} records them)", kind.what, kind.how);
    if (kind.report == "api") {
        OPSIGHT_ASSIGN(const duck::Rows sums, session.query(reports::sql::summed_calls));
        if (const int64_t functions = integer(sums.rows.at(0)[0]); functions > 0)
            note = fmt::format(
                "the source has sums of the calls of {} and no single call: the report counters has them "
                "(calls, total, shortest, longest)",
                functions == 1 ? "one function" : fmt::format("{} functions", functions));
    }
    if (kind.report == "messages") {
        OPSIGHT_ASSIGN(const int64_t ranges, mpi_ranges(session));
        if (ranges > 0)
            note = fmt::format(
                "calls of MPI or UCX were recorded without their sizes and ranks, as {} NVTX ranges of the "
                "domain MPI or UCX: the report ranges has them",
                ranges);
    }
    report.notes.push_back(std::move(note));
    return {};
}

using Maker = Result<ResultTable> (*)(Session&, const TableShape&);

Result<Report> report_of(Session& session, const TableShape& shape, std::string_view name,
                         std::initializer_list<Maker> makers) {
    Report report;
    report.name = name;
    TableShape wanted = shape;
    // First: rows that are still to be read are lost with the next statement.
    OPSIGHT_ASSIGN(const bool recorded, is_recorded(session, name));
    if (!recorded) OPSIGHT_TRY(note_missing(session, *kind_of(name), report));
    for (const Maker make : makers) {
        OPSIGHT_ASSIGN(ResultTable table, make(session, wanted));
        if (report.title.empty()) report.title = table.title;
        wanted.sort.clear();  // a column of the first table need not be one of the others
        report.sections.push_back({std::move(table)});
    }
    return report;
}

bool has_any(const ResultTable& table, std::string_view key) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [key](const Column& c) { return c.key == key; });
    if (column == table.columns.end()) return false;
    const auto place = static_cast<size_t>(column - table.columns.begin());
    return std::any_of(table.rows.begin(), table.rows.end(), [place](const auto& row) {
        return !std::holds_alternative<std::monostate>(row[place]);
    });
}
}  // namespace

Result<bool> is_recorded(Session& session, std::string_view report) {
    const bool of_ranks = std::find(std::begin(kOfRanks), std::end(kOfRanks), report) != std::end(kOfRanks);
    if (!kind_of(report) && !of_ranks) return true;
    const std::string asked(of_ranks ? "ranks" : report);
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(reports::sql::recorded).set("report", asked)));
    return std::get<bool>(rows.rows.at(0)[0]);
}

Result<Report> api_report(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(Report report, report_of(session, shape, "api", {api_sums}));
    const auto& table = report.sections[0].table;
    if (!table.rows.empty() || table.stream)
        report.notes.push_back("a driver call inside a runtime call counts in both rows");
    return report;
}

Result<Report> copy_report(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(Report report, report_of(session, shape, "copies", {copy_sums}));
    const ResultTable& table = report.sections[0].table;
    if (has_any(table, "remarks"))
        report.notes.push_back(
            "some sets or copies within a device are faster than any cache: their bytes are as told, their "
            "time "
            "is not that of the work, and bytes/s leave them out (column Remarks)");
    return report;
}

Result<Report> collectives_report(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(const std::vector<std::string> notes, matching_notes(session));
    OPSIGHT_ASSIGN(Report report, report_of(session, shape, "collectives", {collectives}));
    if (report.notes.empty()) report.notes = notes;
    return report;
}

Result<Report> os_call_report(Session& session, const TableShape& shape) {
    return report_of(session, shape, "os_runtime", {os_call_sums});
}

Result<Report> library_report(Session& session, const TableShape& shape) {
    return report_of(session, shape, "libraries", {library_sums});
}

Result<Report> message_report(Session& session, const TableShape& shape) {
    return report_of(session, shape, "messages", {message_sums});
}

Result<Report> file_report(Session& session, const TableShape& shape) {
    return report_of(session, shape, "file_access", {file_sums});
}

Result<Report> unified_memory_report(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(Report report, report_of(session, shape, "unified_memory", {migration_sums, fault_sums}));
    report.title = "Unified Memory";
    return report;
}

Result<Report> counter_report(Session& session, const TableShape& shape) {
    return report_of(session, shape, "counters", {counter_sums});
}

Result<Report> sample_report(Session& session, const TableShape& shape) {
    return report_of(session, shape, "cpu_samples", {sample_sums});
}

Result<Report> memory_peak_report(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(const std::vector<std::string> ends, out_of_memory_notes(session));
    OPSIGHT_ASSIGN(Report report, report_of(session, shape, "memory_peak", {held_at_peak}));
    report.notes.insert(report.notes.end(), ends.begin(), ends.end());
    return report;
}

Result<Report> scheduling_report(Session& session, const TableShape& shape) {
    return report_of(session, shape, "scheduling", {scheduling_sums});
}

}  // namespace opsight::query
