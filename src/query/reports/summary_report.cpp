// The summary: what was run on what, how long it took, and what the time went to.
#include <fmt/format.h>

#include <algorithm>

#include "db/schema.h"
#include "query/ask/versions.h"
#include "query/reports/device_use.h"
#include "query/reports/headline.h"
#include "query/reports/outside_ops.h"
#include "query/reports/work.h"
#include "query/session/iteration_choice.h"

namespace opsight::query {
namespace {

constexpr int64_t kStreamsForPeople = 10;

Result<ResultTable> system(Session& session, const TableShape& shape) {
    Question q{"system", "System Config"};
    const auto property = [](const char* key) {
        return fmt::format("(SELECT any_value(value) FROM raw.meta WHERE key = 'property.{}')", key);
    };
    q.fields = {
        {{"gpu_count", "GPUs Used", Unit::kCount}, "(SELECT count(*) FROM used_devices WHERE worked)"},
        {{"gpu_unused_count", "GPUs Not Used", Unit::kCount},
         "(SELECT count(*) FROM used_devices WHERE NOT worked)"},
        {{"gpu_names", "GPU Name(s)"},
         "(SELECT string_agg(DISTINCT name, ', ' ORDER BY name) FROM used_devices WHERE name <> '')"},
        {{"cpu_model", "CPU Model"}, property("cpu_model")},
        {{"gpu_driver_version", "GPU Driver Version"}, property("driver_version"), true},
        {{"framework", "Framework"},
         "(SELECT string_agg(value, ', ') FROM raw.meta WHERE key = 'framework')"},
        {{"cuda_version", "CUDA Version"},
         fmt::format("coalesce({}, {})", property("cuda_runtime_version"), property("cuda_version")),
         true},
        {{"cuda_driver_version", "CUDA Version of the Driver"}, property("cuda_driver_version"), true},
        {{"producer", "Producer"}, "(SELECT any_value(value) FROM raw.meta WHERE key = 'producer')"},
        {{"opsight_version", "Opsight Version"},
         "(SELECT any_value(value) FROM raw.meta WHERE key = 'writer')"},
        {{"ranks", "Ranks", Unit::kCount}, "(SELECT count(*) FROM raw.ranks)"},
        {{"processes", "Processes", Unit::kCount},
         "(SELECT count(DISTINCT (rank, pid)) FROM raw.tracks WHERE kind = 0)"},
        {{"threads", "Threads", Unit::kCount}, "(SELECT count(*) FROM raw.tracks WHERE kind = 0)"},
        {{"sources", "Sources"},
         "(SELECT string_agg(value, ', ') FROM (SELECT value FROM raw.meta WHERE key = 'source' LIMIT 8))"},
    };
    q.source = "(SELECT 1)";
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    for (size_t i = 0; i < table.columns.size(); ++i)
        if (table.columns[i].key == "cuda_version" || is_version_number(table.columns[i].key))
            if (auto* told = std::get_if<std::string>(&table.rows.at(0)[i])) *told = version_text(*told);
    return table;
}

// Waits are gaps between a stream's work; what lies before its first and after its last span is none of them.
Question stream_question() {
    Question q{"streams", "Streams"};
    const auto time = [&q](const char* key, const char* head, const char* sql, int priority = 0) {
        q.fields.push_back({{key, head, Unit::kNs, priority}, sql});
    };
    q.fields = {{{"rank", "Rank", Unit::kCount, 2, Role::kId}, "r.number"},
                {{"device", "Device ID", Unit::kCount, 1, Role::kId}, "d.number"},
                {{"context", "Context", Unit::kCount, 5, Role::kId}, "t.context"},
                {{"stream", "Stream", Unit::kCount, 0, Role::kId}, "t.stream"},
                {{"stream_name", "Name", Unit::kNone, 4},
                 "CASE WHEN t.name <> '' AND lower(trim(t.name)) <> 'stream ' || t.stream THEN t.name END"},
                {{"spans", "Spans", Unit::kCount, 3}, "s.spans"}};
    time("busy_ns", "Busy Time (ns)", "s.busy_ns");
    time("host_wait_ns", "Host Wait (ns)", "s.host_wait_ns");
    time("queued_wait_ns", "Queued Wait (ns)", "s.queued_wait_ns");
    time("other_wait_ns", "Other Wait (ns)", "s.other_wait_ns");
    q.fields.push_back(
        {{"busy_pct", "Busy %", Unit::kPercent, 4}, "100.0 * s.busy_ns / nullif(w.wall_ns, 0)"});
    q.fields.push_back({{"queue_depth_mean", "Mean Queue Depth", Unit::kNone, 1, Role::kNumber},
                        "s.queued_ns / nullif(w.wall_ns, 0)"});
    q.fields.push_back({{"queue_depth_max", "Max Queue Depth", Unit::kCount, 2}, "s.queue_max"});
    q.fields.push_back({{"occupancy_pct", "Occupancy (%)", Unit::kPercent, 3},
                        "s.occupancy_pct_ns / nullif(s.occupancy_known_ns, 0)"});
    q.source = fmt::format(
        "({}) s JOIN raw.tracks t ON t.id = s.stream LEFT JOIN raw.devices d ON d.id = t.device "
        "LEFT JOIN raw.ranks r ON r.id = t.rank LEFT JOIN sel_wall_sums w ON w.rank = t.rank",
        db::stream_sums_sql("sel_streams"));
    q.order = {{"busy_ns", true}, {"rank", false}, {"device", false}, {"context", false}, {"stream", false}};
    return q;
}

ResultTable iterations(const Range& range, const std::vector<duck::Cell>& found) {
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
    add({"start", "Iteration Start", Unit::kCount}, number(range.start));
    add({"stop", "Iteration Stop", Unit::kCount}, number(range.stop));
    add({"source", "Found By"}, range.source);
    add({"confidence", "Confidence"}, range.total == 0 ? Cell{} : Cell{range.confidence});
    add({"description", "Description"}, range.description.empty() ? Cell{} : Cell{range.description});
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

// Times are those in which the iterations add up to the wall clock, so that the average lies among them. The
// average is of the rank that took longest.
Result<ResultTable> iteration_statistics(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(
            "WITH s AS (SELECT rank, end_ns - begin_ns AS dur, warmup FROM sel_iteration_times), "
            "r AS (SELECT sum(dur) AS wall, count(*) AS n FROM s GROUP BY rank) SELECT "
            "(SELECT round(arg_max(wall / n, wall))::BIGINT FROM r), round(avg(dur))::BIGINT, min(dur), "
            "round(quantile_cont(dur, 0.5))::BIGINT, round(quantile_cont(dur, 0.95))::BIGINT, max(dur), "
            "round(stddev_samp(dur))::BIGINT, count(*) FILTER (WHERE warmup) FROM s"));
    return iterations(session.range(), rows.rows.at(0));
}

// Iterations that do not follow each other directly, as ranges may: what lies between them is in the wall
// clock.
Result<std::string> gaps_note(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query("WITH g AS (SELECT rank, end_ns - begin_ns AS dur, own_end_ns, "
                                 "lead(begin_ns) OVER (PARTITION BY rank ORDER BY begin_ns) AS next, end_ns "
                                 "FROM sel_iteration_times) SELECT sum(greatest(0, end_ns - own_end_ns)) "
                                 "FILTER (WHERE next = end_ns) / nullif(sum(dur), 0) FROM g"));
    const double* share = std::get_if<double>(&rows.rows.at(0)[0]);
    constexpr double kWorthSaying = 0.02;
    if (!share || *share < kWorthSaying) return std::string();
    return fmt::format(
        "{:.1f}% of the wall clock lies between the iterations: each counts until the next one begins",
        100 * *share);
}

// Each op by its own time, so that the rows add up: a time is counted with the innermost op only.
Result<ResultTable> all_ops(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(make_outside_work(session));
    Question q{"all_ops", "All Ops"};
    q.fields = {
        {{"name", "Ops"}, "x.name"},
        {{"gpu_time_ns", "GPU Time (ns)", Unit::kNs}, "x.gpu_ns", true},
        {{"cpu_time_ns", "CPU Time (ns)", Unit::kNs}, "x.cpu_ns"},
        {{"ops", "# Ops", Unit::kCount}, "x.ops"},
        {{"calls", "# Calls", Unit::kCount}, "x.calls"},
    };
    q.with =
        "WITH o AS (SELECT s.op, CASE WHEN sum(s.tc_kernels) > 0 THEN 1 WHEN sum(s.unknown_tc_kernels) > 0 "
        "THEN 3 "
        "WHEN i.tc_eligible AND sum(s.kernels) > 0 THEN 2 ELSE 4 END AS class, "
        "sum(s.self_gpu_ns)::BIGINT AS gpu_ns, "
        "sum(s.self_cpu_ns)::BIGINT AS cpu_ns, sum(s.calls)::BIGINT AS calls FROM sel_stats s "
        "JOIN raw.op_identities i ON i.id = s.op GROUP BY s.op, i.tc_eligible UNION ALL "
        "SELECT op, 5, self_gpu_ns, self_cpu_ns, calls FROM outside_work WHERE op <> -1), "
        "names AS (FROM (VALUES (0, 'All ops'), (1, 'Ops using TC'), (2, 'Ops eligible for TC but not "
        "using'), "
        "(3, 'Ops whose kernels do not tell'), (4, 'All other ops'), (5, 'Launched outside of ops')) "
        "v(class, "
        "name)), "
        "x AS (SELECT n.class, n.name, coalesce(sum(o.gpu_ns), 0)::BIGINT AS gpu_ns, "
        "coalesce(sum(o.cpu_ns), 0)::BIGINT AS cpu_ns, count(o.op) AS ops, "
        "coalesce(sum(o.calls), 0)::BIGINT AS calls FROM names n "
        "LEFT JOIN o ON n.class = 0 OR n.class = o.class GROUP BY ALL ORDER BY n.class) ";
    q.source = session.contents().device_work || !shape.for_people ? "x" : "x WHERE class = 0";
    return ask(session, q, shape);
}

Result<ResultTable> all_kernels(Session& session) {
    Question q{"all_kernels", "All Kernels"};
    q.fields = {
        {{"name", "Kernels"}, "x.name"},
        {{"gpu_time_ns", "GPU Time (ns)", Unit::kNs}, "x.gpu_ns"},
        {{"cpu_time_ns", "CPU Time (ns)", Unit::kNs}, "x.cpu_ns"},
        {{"count", "# Kernels", Unit::kCount}, "x.count"},
    };
    q.with =
        "WITH d AS (SELECT CASE WHEN kind > 0 THEN 3 WHEN uses_tc = 1 THEN 1 WHEN uses_tc = 2 THEN 2 "
        "ELSE 4 END AS class, gpu_ns, api_ns, count FROM summary_device), "
        "names AS (FROM (VALUES (0, 'All kernels'), (1, 'Kernels using TC'), "
        "(2, 'Kernels whose name does not tell'), (3, 'Memory'), (4, 'All other kernels')) v(class, name)), "
        "g AS (SELECT class, sum(gpu_ns) AS gpu_ns, sum(api_ns) AS cpu_ns, sum(count) AS count FROM d GROUP "
        "BY class), "
        "x AS (SELECT n.class, n.name, coalesce(sum(g.gpu_ns), 0)::BIGINT AS gpu_ns, "
        "coalesce(sum(g.cpu_ns), 0)::BIGINT AS cpu_ns, coalesce(sum(g.count), 0)::BIGINT AS count FROM names "
        "n LEFT JOIN g ON n.class = 0 OR n.class = g.class GROUP BY ALL ORDER BY n.class) ";
    q.source = "x";
    return ask(session, q, {});
}

// False where there is nothing but empty cells.
bool tells_anything(const ResultTable& table) {
    return std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) {
        return std::any_of(row.begin(), row.end(),
                           [](const Cell& cell) { return !std::holds_alternative<std::monostate>(cell); });
    });
}

}  // namespace

Result<ResultTable> stream_use(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare_streams());
    OPSIGHT_ASSIGN(ResultTable table, ask(session, stream_question(), shape));
    const auto rows = table.rows_in_all >= 0 ? table.rows_in_all : std::ssize(table.rows);
    if (rows == 0 && session.contents().device_work)
        table.notes.push_back("no sums of streams: the file is of an older version; import the trace again");
    if (rows > 0)
        table.notes.push_back(
            "host wait: launched after the work before had ended; queued wait: launched before that, and not "
            "begun");
    return table;
}

Result<ResultTable> diagnostic_list(Session& session, const TableShape& shape) {
    Question q{"diagnostics", "Diagnostics"};
    q.fields = {{{"key", "Diagnostic"}, "key"},
                {{"severity", "Severity"}, "severity"},
                {{"count", "Count", Unit::kCount}, "count"},
                {{"help", "Meaning", Unit::kNone, 1}, "help"}};
    q.source = shape.for_people ? "raw.diagnostics WHERE severity <> 'info'" : "raw.diagnostics";
    q.order = {{"severity", false}, {"key", false}};
    return ask(session, q, shape);
}

Result<Report> summary_report(Session& session, const TableShape& wanted) {
    TableShape shape;  // sorting and limits are for the tables of the other reports
    shape.for_people = wanted.for_people;
    Report report{"summary", "Summary", {}, session.range().notes};
    OPSIGHT_TRY(prepare_headline(session));
    OPSIGHT_ASSIGN(ResultTable head, headline(session, shape));
    report.sections.push_back({std::move(head), true, true});
    OPSIGHT_ASSIGN(ResultTable config, system(session, shape));
    report.sections.push_back({std::move(config), true});
    OPSIGHT_ASSIGN(ResultTable statistics, iteration_statistics(session));
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
    if (session.contents().ops || !shape.for_people) {
        OPSIGHT_ASSIGN(ResultTable ops, all_ops(session, shape));
        report.sections.push_back({std::move(ops)});
    }
    if (device_work || !shape.for_people) {
        OPSIGHT_ASSIGN(ResultTable kernels, all_kernels(session));
        report.sections.push_back({std::move(kernels)});
    } else {
        report.notes.push_back(
            session.contents().work_lost
                ? "work was launched on a device, but none of it is recorded: what the device did "
                  "is not known"
                : "no device work was recorded: all times are those of the CPU");
    }
    OPSIGHT_ASSIGN(const std::string gaps, gaps_note(session));
    if (!gaps.empty()) report.notes.push_back(gaps);
    OPSIGHT_ASSIGN(const std::string unused, unused_devices_note(session));
    if (!unused.empty()) report.notes.push_back(unused);
    OPSIGHT_ASSIGN(const std::string hint, iteration_hint(session));
    if (!hint.empty()) report.notes.push_back(hint);
    OPSIGHT_ASSIGN(ResultTable odd, diagnostic_list(session, shape));
    if (!odd.rows.empty() || !shape.for_people) report.sections.push_back({std::move(odd)});
    return report;
}

}  // namespace opsight::query
