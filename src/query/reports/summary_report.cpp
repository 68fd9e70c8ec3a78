// The summary: what was run on what, how long it took, and what the time went to.
#include <fmt/format.h>

#include <algorithm>

#include "query/ask/versions.h"
#include "query/reports/advice_facts.h"
#include "query/reports/device_use.h"
#include "query/reports/headline.h"
#include "query/reports/memory.h"
#include "query/reports/op_groups.h"
#include "query/reports/outside_ops.h"
#include "query/reports/sql.h"
#include "query/reports/work.h"
#include "query/session/cells.h"
#include "query/session/iteration_choice.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

constexpr int64_t kStreamsForPeople = 10;

Result<ResultTable> system(Session& session, const TableShape& shape) {
    Question q{"system", "System Config"};
    q.columns = {
        of_device({"gpu_count", "GPUs Used", Unit::kCount}),
        of_device({"gpu_unused_count", "GPUs Not Used", Unit::kCount}),
        {"gpu_names", "GPU Name(s)"},
        {"cpu_model", "CPU Model"},
        of_device({"gpu_driver_version", "GPU Driver Version"}),
        {"framework", "Framework"},
        of_device({"cuda_version", "CUDA Version"}),
        of_device({"cuda_driver_version", "CUDA Version of the Driver"}),
        {"producer", "Producer"},
        {"opsight_version", "Opsight Version"},
        {"ranks", "Ranks", Unit::kCount},
        {"processes", "Processes", Unit::kCount},
        {"threads", "Threads", Unit::kCount},
        {"sources", "Sources"},
    };
    q.rows = sql::system;
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].key == "cuda_version" || is_version_number(table.columns[i].key))
            if (auto* told = std::get_if<std::string>(&table.rows.at(0)[i])) *told = version_text(*told);
    return table;
}

Question stream_question() {
    Question q{"streams", "Streams"};
    q.columns = {{"rank", "Rank", Unit::kCount, 2, Role::kId},
                 {"device", "Device ID", Unit::kCount, 1, Role::kId},
                 {"context", "Context", Unit::kCount, 5, Role::kId},
                 {"stream", "Stream", Unit::kCount, 0, Role::kId},
                 {"stream_name", "Name", Unit::kNone, 4},
                 {"spans", "Spans", Unit::kCount, 3},
                 {"busy_ns", "Busy Time (ns)", Unit::kNs},
                 {"host_wait_ns", "Host Wait (ns)", Unit::kNs},
                 {"queued_wait_ns", "Queued Wait (ns)", Unit::kNs},
                 {"other_wait_ns", "Other Wait (ns)", Unit::kNs},
                 {"busy_pct", "Busy %", Unit::kPercent, 4},
                 {"queue_depth_mean", "Mean Queue Depth", Unit::kNone, 1, Role::kNumber},
                 {"queue_depth_max", "Max Queue Depth", Unit::kCount, 2},
                 {"occupancy_pct", "Occupancy (%)", Unit::kPercent, 3}};
    q.rows = sql::streams_of_range;
    q.order = {{"busy_ns", true}, {"rank", false}, {"device", false}, {"context", false}, {"stream", false}};
    return q;
}

// For people one iteration has no statistics.
ResultTable iterations(const Range& range, const std::vector<duck::Cell>& found, Cell two_lengths,
                       bool one_for_people) {
    ResultTable table;
    table.name = "iterations";
    table.title = "Iterations";
    const auto number = [](int64_t value) { return value < 0 ? Cell{} : Cell{value}; };
    const auto add = [&table](Column column, Cell cell) {
        if (table.rows.empty()) table.rows.emplace_back();
        table.columns.push_back(std::move(column));
        table.rows[0].push_back(std::move(cell));
    };
    add({"total", "Total Iterations", Unit::kCount}, range.total);
    add({"selected", "Aggregated Iterations", Unit::kCount}, range.selected);
    add({"start", "Iteration Start", Unit::kCount, 0, Role::kId}, number(range.start));
    add({"stop", "Iteration Stop", Unit::kCount, 0, Role::kId}, number(range.stop));
    add({"source", "Found By"}, range.source);
    add({"confidence", "Confidence"}, range.total == 0 ? Cell{} : Cell{range.confidence});
    add({"description", "Description"}, range.description.empty() ? Cell{} : Cell{range.description});
    if (one_for_people) {
        add({"avg_iteration_time_ns", "Iteration Time (ns)", Unit::kNs}, found[0]);
        return table;
    }
    add({"two_lengths", "Two Lengths"}, std::move(two_lengths));
    const std::pair<const char*, const char*> times[] = {
        {"avg_iteration_time_ns", "Average Iteration Time (ns)"},
        {"mean_ns", "Mean Duration (ns)"},
        {"min_ns", "Min Duration (ns)"},
        {"median_ns", "Median Duration (ns)"},
        {"p95_ns", "P95 Duration (ns)"},
        {"max_ns", "Max Duration (ns)"},
        {"stddev_ns", "Iteration Time Standard Deviation (ns)"},
        {"warmup", "Warm-up Iterations in Range"}};
    for (size_t i = 0; i < std::size(times); ++i)
        add({times[i].first, times[i].second, i + 1 == std::size(times) ? Unit::kCount : Unit::kNs},
            found[i]);
    return table;
}

Result<ResultTable> iteration_statistics(Session& session, bool for_people) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::iteration_statistics));
    OPSIGHT_ASSIGN(const IterationSpread spread, iteration_spread(session, kTwoLengths));
    Cell two_lengths;
    if (spread.two_lengths) two_lengths = words_of(*spread.two_lengths);
    const std::vector<duck::Cell>& found = rows.rows.at(0);
    const bool one = for_people && std::get<int64_t>(found[8]) == 1;
    return iterations(session.range(), found, std::move(two_lengths), one);
}

// Of a range between whose iterations something lies, which is in the wall clock.
Result<std::string> gaps_note(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::iteration_gaps));
    const double* share = std::get_if<double>(&rows.rows.at(0)[0]);
    constexpr double kWorthSaying = 0.02;
    if (!share || *share < kWorthSaying) return std::string();
    return fmt::format(
        "{:.1f}% of the wall clock lies between the iterations: each counts until the next one begins. What "
        "is "
        "launched there is in shares of the time, and not in sums of ops, kernels and copies",
        100 * *share);
}

// Of a recording that paused: the pauses are not in the wall clock.
Result<std::string> pauses_note(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::recording_pauses));
    if (rows.rows.empty()) return std::string();
    const int64_t pauses = integer(rows.rows[0][0]);
    return fmt::format(
        "the recording pauses {}, for {:.3f} s in all, in which nothing was recorded: that time is in no "
        "wall "
        "clock, iteration or share",
        pauses == 1 ? "once" : fmt::format("{} times", pauses),
        static_cast<double>(integer(rows.rows[0][1])) / 1e9);
}

// Of numbers of steps that jump, with something recorded in between: that is in the wall clock.
Result<std::string> skipped_steps_note(Session& session) {
    if (session.range().whole) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::skipped_steps));
    const int64_t steps = integer(rows.rows.at(0)[0]);
    if (steps == 0) return std::string();
    return fmt::format(
        "the numbers of the steps jump: {} step{} between the iterations {} not recorded, and the {:.3f} s "
        "in which they ran count as the time of the iterations before them; choose iterations without such a "
        "pause",
        steps, steps == 1 ? "" : "s", steps == 1 ? "was" : "were",
        static_cast<double>(integer(rows.rows[0][1])) / 1e9);
}

// How kernels are recorded in place of the graphs that hold them.
std::string way_to_kernels(const std::string& producer) {
    if (producer.starts_with("Nsight Systems"))
        return " (nsys profile --cuda-graph-trace=node records kernels)";
    if (producer.starts_with("Opsight")) return " (without --cuda-whole-graphs kernels are recorded)";
    return {};
}

// Where devices were recorded by graph and not by kernel.
Result<std::string> graphs_note(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::graphs_as_a_whole));
    const int64_t graphs = integer(rows.rows.at(0)[0]);
    if (graphs == 0) return std::string();
    return fmt::format(
        "{} piece{} of the GPU's work {} recorded as a whole, without the kernels in {}: utilization is at "
        "most "
        "what is shown, since pauses within count as work{}",
        graphs, graphs == 1 ? "" : "s", graphs == 1 ? "was" : "were", graphs == 1 ? "it" : "them",
        way_to_kernels(text(rows.rows[0][1])));
}

Result<ResultTable> all_ops(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_outside_work(session));
    Question q{"all_ops", "All Ops"};
    q.columns = {{"name", "Ops"},
                 of_device({"gpu_time_ns", "GPU Time (ns)", Unit::kNs}),
                 of_host({"cpu_time_ns", "CPU Time (ns)", Unit::kNs}),
                 {"ops", "# Ops", Unit::kCount},
                 {"calls", "# Calls", Unit::kCount}};
    q.rows =
        duck::Statement(sql::all_ops).set("all_classes", session.contents().device_work || !shape.for_people);
    return ask(session, q, shape);
}

Result<ResultTable> kernels_by_use(Session& session) {
    Question q{"all_kernels", "All Kernels"};
    q.columns = {{"name", "Kernels"},
                 {"gpu_time_ns", "GPU Time (ns)", Unit::kNs},
                 of_host({"cpu_time_ns", "CPU Time (ns)", Unit::kNs}),
                 {"count", "# Kernels", Unit::kCount}};
    q.rows = sql::all_kernels_by_use;
    return ask(session, q, {});
}

// False where there is nothing but empty cells.
bool tells_anything(const ResultTable& table) {
    return std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) {
        return std::any_of(row.begin(), row.end(),
                           [](const Cell& cell) { return !std::holds_alternative<std::monostate>(cell); });
    });
}

// What programs of MPI say to each other stands in no number of the devices' communication.
Result<std::string> calls_between_ranks_note(Session& session) {
    if (!session.contents().device_work) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::calls_between_ranks));
    const int64_t calls = integer(rows.rows.at(0)[0]);
    if (calls == 0) return std::string();
    return fmt::format(
        "{} call{} of MPI or UCX on the host: communication is that of devices alone, these are in the "
        "reports messages or ranges",
        calls, calls == 1 ? "" : "s");
}

std::string host_times_note(const Session& session) {
    const Contents& has = session.contents();
    if (has.work_lost) return fmt::format("{}: what it did is not known", without_device_work(session));
    return fmt::format("{}: all times are those of the CPU",
                       has.device_unseen ? without_device_work(session) : "no device work was recorded");
}

}  // namespace

Result<ResultTable> stream_use(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare_streams());
    OPSIGHT_ASSIGN(ResultTable table, ask(session, stream_question(), shape));
    if (table.stream) return table;  // nobody knows yet how many
    const auto rows = table.rows_in_all >= 0 ? table.rows_in_all : std::ssize(table.rows);
    if (rows == 0 && session.contents().device_work) {
        OPSIGHT_ASSIGN(const duck::Rows sums, session.query(sql::has_stream_sums));
        table.notes.push_back(
            std::get<bool>(sums.rows.at(0)[0])
                ? "no device work is in the range"
                : "no sums of streams: the file is of an older version; import the trace again");
    }
    if (rows > 0)
        table.notes.push_back(
            "host wait: launched after the work before had ended; queued wait: launched before that, and not "
            "begun");
    return table;
}

Result<ResultTable> diagnostic_list(Session& session, const TableShape& shape) {
    Question q{"diagnostics", "Diagnostics"};
    q.columns = {{"key", "Diagnostic"},
                 {"severity", "Severity", Unit::kNone, 0, Role::kSeverity},
                 {"count", "Count", Unit::kCount},
                 {"help", "Meaning", Unit::kNone, 1}};
    q.rows = shaped(sql::diagnostics, shape).set("iterations", session.range().total > 0);
    q.order = {{"severity", false}, {"key", false}};
    return ask(session, q, shape);
}

Result<Report> summary_report(Session& session, const TableShape& wanted) {
    TableShape shape;  // sorting and limits are for the tables of the other reports
    shape.for_people = wanted.for_people;
    Report report{"summary", "Summary", {}, session.range().notes};
    OPSIGHT_ASSIGN(ResultTable head, headline(session, shape));
    report.sections.push_back({std::move(head), true, true});
    OPSIGHT_ASSIGN(ResultTable config, system(session, shape));
    report.sections.push_back({std::move(config), true});
    OPSIGHT_ASSIGN(ResultTable statistics, iteration_statistics(session, shape.for_people));
    report.sections.push_back({std::move(statistics), true});
    const bool device_work = session.contents().device_work;
    OPSIGHT_ASSIGN(ResultTable work, work_summary(session, shape.for_people));
    const bool counted = !shape.for_people || tells_anything(work);
    if (counted) report.sections.push_back({std::move(work), true});
    if (session.contents().devices || !shape.for_people) {
        OPSIGHT_ASSIGN(ResultTable list, device_list(session));
        report.sections.push_back({std::move(list)});
    }
    if (device_work || !shape.for_people) {
        TableShape rows;
        rows.limit = shape.for_people ? kStreamsForPeople : 0;
        OPSIGHT_ASSIGN(ResultTable list, stream_use(session, rows));
        report.sections.push_back({std::move(list)});
    }
    OPSIGHT_ASSIGN(ResultTable memory, peak_memory(session));
    if (!memory.rows.empty()) report.sections.push_back({std::move(memory)});
    if (session.contents().ops || !shape.for_people) {
        OPSIGHT_ASSIGN(ResultTable ops, all_ops(session, shape));
        report.sections.push_back({std::move(ops)});
    }
    if (device_work || !shape.for_people) {
        OPSIGHT_ASSIGN(ResultTable kernels, kernels_by_use(session));
        report.sections.push_back({std::move(kernels)});
    } else if (const Contents& has = session.contents();
               !has.loss_is_told && (has.ops || has.calls || has.ranges || has.work_lost)) {
        report.notes.push_back(host_times_note(session));
    }
    OPSIGHT_ASSIGN(const std::vector<std::string> ends, out_of_memory_notes(session));
    report.notes.insert(report.notes.end(), ends.begin(), ends.end());
    OPSIGHT_ASSIGN(const std::vector<std::string> lost, lost_work_notes(session));
    report.notes.insert(report.notes.end(), lost.begin(), lost.end());
    for (const auto note :
         {clocks_note, added_up_note, gaps_note, pauses_note, skipped_steps_note, graphs_note,
          shared_devices_note, unused_devices_note, calls_between_ranks_note, iteration_hint}) {
        OPSIGHT_ASSIGN(std::string text, note(session));
        if (!text.empty()) report.notes.push_back(std::move(text));
    }
    OPSIGHT_ASSIGN(ResultTable odd, diagnostic_list(session, shape));
    if (!odd.rows.empty() || !shape.for_people) report.sections.push_back({std::move(odd)});
    return report;
}

}  // namespace opsight::query
