// Reports with a row per op, op type or layer.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "db/schema.h"
#include "query/reports/op_groups.h"
#include "query/reports/op_quantiles.h"
#include "query/reports/outside_ops.h"
#include "query/reports/work.h"

namespace opsight::query {
namespace {

// Sums of op_stats rows that every op report shows.
constexpr std::string_view kSums =
    "sum(s.calls)::BIGINT AS calls, sum(s.cpu_ns)::BIGINT AS cpu_ns, min(s.cpu_min_ns) AS cpu_min_ns, "
    "max(s.cpu_max_ns) AS cpu_max_ns, sum(s.self_cpu_ns)::BIGINT AS self_cpu_ns, sum(s.api_ns)::BIGINT AS "
    "api_ns, "
    "min(s.overhead_min_ns) AS overhead_min_ns, max(s.overhead_max_ns) AS overhead_max_ns, "
    "sum(s.gpu_ns)::BIGINT AS gpu_ns, min(s.gpu_min_ns) AS gpu_min_ns, max(s.gpu_max_ns) AS gpu_max_ns, "
    "sum(s.self_gpu_ns)::BIGINT AS self_gpu_ns, sum(s.gpu_idle_ns)::BIGINT AS gpu_idle_ns, "
    "min(s.gpu_idle_min_ns) AS gpu_idle_min_ns, max(s.gpu_idle_max_ns) AS gpu_idle_max_ns, "
    "sum(s.kernel_ns)::BIGINT AS kernel_ns, sum(s.tc_kernel_ns)::BIGINT AS tc_kernel_ns, "
    "sum(s.kernels)::BIGINT AS kernels, sum(s.tc_kernels)::BIGINT AS tc_kernels, "
    "sum(s.unknown_tc_kernels)::BIGINT AS unknown_tc_kernels, sum(s.memcpys)::BIGINT AS memcpys, "
    "sum(s.memsets)::BIGINT AS memsets";

// Total, average, least and most of one kind of time; `s` has the sums.
std::vector<Field> times(const std::string& key, const std::string& head, const std::string& total,
                         const std::string& least, const std::string& most, bool device, int priority) {
    return {
        {{"total_" + key + "_ns", "Total " + head + " (ns)", Unit::kNs, priority}, total, device},
        {{"avg_" + key + "_ns", "Avg. " + head + " (ns)", Unit::kNs, priority + 1},
         fmt::format("round(({}) / s.calls)::BIGINT", total),
         device},
        {{"min_" + key + "_ns", "Min " + head + " (ns)", Unit::kNs, priority + 3}, least, device},
        {{"max_" + key + "_ns", "Max " + head + " (ns)", Unit::kNs, priority + 3}, most, device},
    };
}

void append(std::vector<Field>& to, std::vector<Field> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// The sixteen time columns of DLProf's op reports.
std::vector<Field> sixteen_times(bool gpu_first) {
    std::vector<Field> all =
        times("cpu_time", "CPU Time", "s.cpu_ns", "s.cpu_min_ns", "s.cpu_max_ns", false, gpu_first ? 2 : 1);
    append(all, times("gpu_time", "GPU Time", "s.gpu_ns", "s.gpu_min_ns", "s.gpu_max_ns", true, 1));
    append(all, times("cpu_overhead", "CPU Overhead", "(s.cpu_ns - s.api_ns)", "s.overhead_min_ns",
                      "s.overhead_max_ns", true, 5));
    append(all,
           times("gpu_idle", "GPU Idle", "s.gpu_idle_ns", "s.gpu_idle_min_ns", "s.gpu_idle_max_ns", true, 5));
    return all;
}

// Op instances with their work and track.
constexpr std::string_view kInstances =
    "sel_ops o JOIN raw.tracks t ON t.id = o.track LEFT JOIN raw.op_work w ON w.id = o.id";

const char* kUsesTc =
    "CASE WHEN s.tc_kernels > 0 THEN 'yes' WHEN s.unknown_tc_kernels > 0 THEN 'unknown' ELSE 'no' END";

// By self time on the GPU, or else on the CPU: by their whole time an op and all that it calls would stand
// below each other with nearly the same number.
std::pair<std::string, bool> main_order(const Session& session) {
    return {session.contents().device_work ? "self_gpu_time_ns" : "self_cpu_time_ns", true};
}

// `session`: of a report about ops, which a program without a framework has none of.
Report single(std::string name, ResultTable table, const Session* session = nullptr, bool of_layers = false) {
    Report report;
    report.name = std::move(name);
    report.title = table.title;
    const auto rows = table.rows_in_all >= 0 ? table.rows_in_all : std::ssize(table.rows);
    if (session && rows == 0 && !session->contents().ops && session->contents().ranges)
        report.notes.push_back(
            "the profile has no ops of a framework; --report ranges lists the ranges that the program names");
    else if (of_layers && rows <= 1)
        report.notes.push_back("no layers are known: the source has no module calls, stacks or layer names");
    report.sections.push_back({std::move(table)});
    return report;
}

// Work outside of ops: device work counts for the identity that the analysis gave it (an annotation, or a
// pseudo-op named after the API call, or for graphs the ops of their capture, of which the first has the time
// of the call), calls without device work for a pseudo-op alike. A union of device spans for each call.
std::string unassociated(const Groups& by) {
    return fmt::format(
        "u_device AS (SELECT d.launch, d.op, d.track, d.begin_ns, d.begin_ns + d.dur_ns AS end_ns, d.dur_ns, "
        "d.kind, "
        "(d.flags & 64) <> 0 AS first, k.uses_tc FROM sel_device d LEFT JOIN raw.kernel_names k ON d.kind = "
        "0 AND k.id = d.name "
        "WHERE d.op_span = -1 AND d.kind < 3), "
        "u_run AS (SELECT *, coalesce(max(end_ns) OVER (PARTITION BY launch, CASE WHEN launch = -1 THEN "
        "track END "
        "ORDER BY begin_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), begin_ns) AS before "
        "FROM u_device), "
        "u_launch AS (SELECT launch, op, bool_or(first) AS first, CASE WHEN launch = -1 THEN track END AS "
        "lane, "
        "sum(greatest(0, end_ns - greatest(begin_ns, before)))::BIGINT AS gpu_ns, min(begin_ns) AS b, "
        "max(end_ns) AS e, coalesce(sum(dur_ns) FILTER (WHERE kind = 0), 0)::BIGINT AS kernel_ns, "
        "coalesce(sum(dur_ns) FILTER (WHERE uses_tc = 1), 0)::BIGINT AS tc_kernel_ns, "
        "count(*) FILTER (WHERE kind = 0) AS kernels, count(*) FILTER (WHERE uses_tc = 1) AS tc_kernels, "
        "count(*) FILTER (WHERE uses_tc = 2) AS unknown_tc_kernels, count(*) FILTER (WHERE kind = 1) AS "
        "memcpys, "
        "count(*) FILTER (WHERE kind = 2) AS memsets, any_value(track) AS track FROM u_run GROUP BY ALL), "
        "u_calls AS (SELECT id, track, dur_ns, name FROM sel_api WHERE op_span = -1 UNION ALL "
        "SELECT a.id, a.track, a.dur_ns, a.name FROM raw.api_calls a SEMI JOIN u_launch l ON l.launch = a.id "
        "ANTI JOIN (SELECT id FROM sel_api WHERE op_span = -1) c ON c.id = a.id), "
        "u_call AS (SELECT c.*, x.text AS api FROM u_calls c JOIN raw.strings x ON x.id = c.name), "
        "u_both AS (SELECT coalesce(li.name, 'unassociated_' || c.api) AS name, "
        "CASE WHEN li.type NOT IN ('unassociated', 'unattributed') OR li.layer <> -1 THEN l.op END AS "
        "range_op, "
        "coalesce(ct.rank, lt.rank) AS rank, "
        "coalesce(lt.device, -1) AS device, CASE WHEN l.first IS NOT false THEN coalesce(c.dur_ns, 0) ELSE 0 "
        "END AS dur_ns, l.* EXCLUDE (launch, lane, "
        "track) "
        "FROM u_call c FULL JOIN u_launch l ON l.launch = c.id LEFT JOIN raw.op_identities li ON li.id = "
        "l.op "
        "LEFT JOIN raw.tracks ct ON ct.id = c.track LEFT JOIN raw.tracks lt ON lt.id = l.track), "
        "u AS (SELECT name, coalesce(max(op), -1) AS op{0}, count(*) AS calls, "
        "sum(dur_ns)::BIGINT AS cpu_ns, min(dur_ns) AS cpu_min_ns, max(dur_ns) AS cpu_max_ns, "
        "sum(dur_ns)::BIGINT AS self_cpu_ns, sum(dur_ns)::BIGINT AS api_ns, 0 AS overhead_min_ns, "
        "0 AS overhead_max_ns, coalesce(sum(gpu_ns), 0)::BIGINT AS gpu_ns, min(coalesce(gpu_ns, 0)) AS "
        "gpu_min_ns, "
        "max(coalesce(gpu_ns, 0)) AS gpu_max_ns, coalesce(sum(gpu_ns), 0)::BIGINT AS self_gpu_ns, "
        "coalesce(sum(e - b - gpu_ns), 0)::BIGINT AS gpu_idle_ns, "
        "min(coalesce(e - b - gpu_ns, 0)) AS gpu_idle_min_ns, max(coalesce(e - b - gpu_ns, 0)) AS "
        "gpu_idle_max_ns, "
        "coalesce(sum(kernel_ns), 0)::BIGINT AS kernel_ns, coalesce(sum(tc_kernel_ns), 0)::BIGINT AS "
        "tc_kernel_ns, "
        "coalesce(sum(kernels), 0)::BIGINT AS kernels, coalesce(sum(tc_kernels), 0)::BIGINT AS tc_kernels, "
        "coalesce(sum(unknown_tc_kernels), 0)::BIGINT AS unknown_tc_kernels, "
        "coalesce(sum(memcpys), 0)::BIGINT AS memcpys, coalesce(sum(memsets), 0)::BIGINT AS memsets, "
        "quantile_cont(dur_ns, [0.5, 0.95]) AS cpu_q, quantile_cont(coalesce(gpu_ns, 0), [0.5, 0.95]) AS "
        "gpu_q "
        "FROM u_both s GROUP BY name, range_op{0})",
        by.keys);
}

Field quantile(const std::string& key, const std::string& head, const char* list, int index, bool device) {
    return {{key, head, Unit::kNs, index == 1 ? 4 : 6},
            fmt::format("round(s.{}[{}])::BIGINT", list, index),
            device};
}

std::vector<Field> detailed_fields(bool gpu, const TableShape& shape) {
    std::vector<Field> fields = {
        {{"op_id", "Op ID", Unit::kCount, 6, Role::kId}, "nullif(s.op, -1)"},
        {{"op_name", "Op Name"}, "coalesce(i.name, s.name)"},
        {{"direction", "Direction", Unit::kNone, 3},
         fmt::format("coalesce({}, 'other')", db::direction_text("i.direction"))},
        {{"op_type", "Op Type", Unit::kNone, 7}, "coalesce(i.type, 'unassociated')"},
        {{"calls", "No. Calls", Unit::kCount, gpu ? 1 : 2}, "s.calls"},
        {{"tc_eligible", "TC Eligible", Unit::kNone, 6}, "coalesce(i.tc_eligible, s.tc_kernels > 0)", true},
        {{"using_tc", "Using TC", Unit::kNone, 3}, kUsesTc, true},
    };
    append(fields, sixteen_times(gpu));
    append(fields,
           {{{"dtypes", "Data Type", Unit::kNone, 9, Role::kTypes}, "nullif(i.dtypes, '')"},
            {{"stack", "Stack Trace", Unit::kNone, 20, Role::kStack}, "s.stack"},
            {{"layer", "Layer", Unit::kNone, gpu ? 2 : 0}, "l.path"},
            {{"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes}, shapes_sql("i.shapes", shape)},
            {{"self_cpu_time_ns", "Self CPU Time (ns)", Unit::kNs, gpu ? 2 : 0}, "s.self_cpu_ns"},
            {{"self_gpu_time_ns", "Self GPU Time (ns)", Unit::kNs}, "s.self_gpu_ns", true},
            {{"total_api_time_ns", "Total API Time (ns)", Unit::kNs, 7}, "s.api_ns", true},
            quantile("median_cpu_time_ns", "Median CPU Time (ns)", "cpu_q", 1, false),
            quantile("p95_cpu_time_ns", "P95 CPU Time (ns)", "cpu_q", 2, false),
            quantile("median_gpu_time_ns", "Median GPU Time (ns)", "gpu_q", 1, true),
            quantile("p95_gpu_time_ns", "P95 GPU Time (ns)", "gpu_q", 2, true),
            {{"kernel_time_ns", "Kernel GPU Time (ns)", Unit::kNs, 8}, "s.kernel_ns", true},
            {{"kernels", "Kernels", Unit::kCount, 8}, "s.kernels", true},
            {{"memcpys", "Memcpys", Unit::kCount, 9}, "s.memcpys", true},
            {{"memsets", "Memsets", Unit::kCount, 9}, "s.memsets", true}});
    return fields;
}

Status make_outside_ops(Session& session, const Groups& by) {
    return session.execute("CREATE OR REPLACE TEMP TABLE outside_ops AS WITH " + unassociated(by) +
                           " SELECT * FROM u WHERE op <> -1");
}

// An instance counts in every group that its layer lies in and the op that called it does not: so a group's
// times cover its subtree once, however deeply ops call each other. Work outside of ops counts in the layer
// that was open at its launch, the root where there was none. Reads layers_above and outside_ops.
std::string group_sums(const Groups& by) {
    return fmt::format(
        "WITH above AS (FROM layers_above), "
        "inst AS (SELECT i.layer, o.caller_layer AS caller, o.caller_layer <> {3} AS called{1}, o.dur_ns, "
        "o.self_ns, coalesce(w.api_ns, 0) AS api_ns, coalesce(w.gpu_ns, 0) AS gpu_ns, "
        "coalesce(w.gpu_idle_ns, 0) AS idle_ns "
        "FROM {2} JOIN raw.op_identities i ON i.id = o.op WHERE o.caller_layer <> {4}), "
        "parts AS (SELECT layer, caller, called{0}, count(*) AS calls, sum(dur_ns)::BIGINT AS cpu_ns, "
        "min(dur_ns) AS cpu_min_ns, max(dur_ns) AS cpu_max_ns, sum(api_ns)::BIGINT AS api_ns, "
        "min(dur_ns - api_ns) AS overhead_min_ns, max(dur_ns - api_ns) AS overhead_max_ns, "
        "sum(gpu_ns)::BIGINT AS gpu_ns, min(gpu_ns) AS gpu_min_ns, max(gpu_ns) AS gpu_max_ns, "
        "sum(idle_ns)::BIGINT AS gpu_idle_ns, min(idle_ns) AS gpu_idle_min_ns, max(idle_ns) AS "
        "gpu_idle_max_ns "
        "FROM inst s GROUP BY ALL UNION ALL BY NAME "
        "SELECT i.layer, {3} AS caller, false AS called{0}, calls, cpu_ns, cpu_min_ns, cpu_max_ns, api_ns, "
        "overhead_min_ns, overhead_max_ns, gpu_ns, gpu_min_ns, gpu_max_ns, gpu_idle_ns, gpu_idle_min_ns, "
        "gpu_idle_max_ns FROM outside_ops s JOIN raw.op_identities i ON i.id = s.op), "
        "s AS (SELECT a.ancestor AS layer{0}, sum(calls)::BIGINT AS calls, sum(cpu_ns)::BIGINT AS cpu_ns, "
        "min(cpu_min_ns) AS cpu_min_ns, max(cpu_max_ns) AS cpu_max_ns, sum(api_ns)::BIGINT AS api_ns, "
        "min(overhead_min_ns) AS overhead_min_ns, max(overhead_max_ns) AS overhead_max_ns, "
        "sum(gpu_ns)::BIGINT AS gpu_ns, min(gpu_min_ns) AS gpu_min_ns, max(gpu_max_ns) AS gpu_max_ns, "
        "sum(gpu_idle_ns)::BIGINT AS gpu_idle_ns, min(gpu_idle_min_ns) AS gpu_idle_min_ns, "
        "max(gpu_idle_max_ns) AS gpu_idle_max_ns FROM parts s JOIN above a ON a.layer = s.layer "
        "WHERE NOT s.called OR NOT EXISTS (FROM above c WHERE c.layer = s.caller AND c.ancestor = "
        "a.ancestor) "
        "GROUP BY a.ancestor{0}), "
        "stats AS (SELECT s.op{0}, self_cpu_ns, self_gpu_ns, tc_kernels FROM sel_stats s UNION ALL "
        "SELECT s.op{0}, self_cpu_ns, self_gpu_ns, tc_kernels FROM outside_ops s), "
        "n AS (SELECT a.ancestor AS layer{0}, count(DISTINCT s.op) AS ops, "
        "count(DISTINCT s.op) FILTER (WHERE i.tc_eligible) AS eligible, "
        "count(DISTINCT s.op) FILTER (WHERE s.tc_kernels > 0) AS using_tc, "
        "sum(s.self_cpu_ns)::BIGINT AS own_cpu_ns, "
        "(sum(s.self_cpu_ns) FILTER (WHERE i.direction = 0))::BIGINT AS forward_cpu_ns, "
        "(sum(s.self_cpu_ns) FILTER (WHERE i.direction = 1))::BIGINT AS backward_cpu_ns, "
        "(sum(s.self_gpu_ns) FILTER (WHERE i.direction = 0))::BIGINT AS forward_gpu_ns, "
        "(sum(s.self_gpu_ns) FILTER (WHERE i.direction = 1))::BIGINT AS backward_gpu_ns "
        "FROM stats s JOIN raw.op_identities i ON i.id = s.op JOIN above a ON a.layer = i.layer "
        "GROUP BY a.ancestor{0}) ",
        by.keys, by.instances, kInstances, db::kNoCaller, db::kCallerOfSameLayer);
}

// Medians and stacks look at every instance: a table of some rows works them out for these rows only.
bool sorts_by_distribution(const TableShape& shape) {
    std::string sort;
    for (const char c : shape.sort)
        sort += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return sort.starts_with("median") || sort.starts_with("p95") || sort.starts_with("stack");
}

// "o.op IN (...)": the ops that a table shows.
std::string among(const ResultTable& table) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [](const Column& c) { return c.key == "op_id"; });
    const auto index = static_cast<size_t>(column - table.columns.begin());
    std::string list;
    for (const auto& row : table.rows)
        if (const int64_t* op = std::get_if<int64_t>(&row[index]))
            list += (list.empty() ? "" : ", ") + std::to_string(*op);
    return list.empty() ? "false" : "o.op IN (" + list + ")";
}

// Makes the temporary table work_rows: sums of work by `key` and what rows are grouped by.
Status make_work_rows(Session& session, const Groups& by, const std::string& key, const std::string& join) {
    OPSIGHT_TRY(session.prepare_work());
    return session.execute(
        fmt::format("CREATE OR REPLACE TEMP TABLE work_rows AS SELECT {} AS key{}, {} FROM "
                    "{} {} GROUP BY ALL",
                    key, by.keys, work_sums(), kWorkSource, join));
}

// Makes the temporary table op_rows: sums of each op and of the work outside of ops, which has its medians
// with it.
Status make_op_rows(Session& session, const Groups& by) {
    return session.execute(fmt::format(
        "CREATE OR REPLACE TEMP TABLE op_rows AS WITH s_ops AS (SELECT s.op{0}, {1} FROM sel_stats s GROUP "
        "BY "
        "s.op{0}), {2} SELECT s.*, NULL AS name, NULL::DOUBLE[] AS cpu_q, NULL::DOUBLE[] AS gpu_q FROM s_ops "
        "s UNION ALL BY NAME SELECT * FROM u",
        by.keys, kSums, unassociated(by)));
}

// The rows of op_rows. With `only`, their medians and stacks as far as it holds.
Question detailed_question(Session& session, const TableShape& shape, const Groups& by,
                           const std::string& only) {
    Question q{"detailed", "Ops (Detailed)"};
    q.fields = by.fields;
    append(q.fields, detailed_fields(session.contents().device_work, shape));
    append(q.fields, work_fields("wk", false));
    q.source = "op_rows s";
    if (!only.empty()) {
        q.with = fmt::format(
            "WITH m AS (SELECT s.op{0}, [s.cpu_p50, s.cpu_p95] AS cpu_q, [s.gpu_p50, s.gpu_p95] AS gpu_q "
            "FROM "
            "op_quantiles s), "
            "x AS (SELECT op, first(stack ORDER BY ns DESC, stack) AS stack FROM (SELECT o.op, e.stack, "
            "sum(o.dur_ns) AS ns FROM sel_ops o JOIN raw.op_extras e ON e.id = o.id WHERE e.stack <> '' AND "
            "{1} GROUP BY ALL) GROUP BY op), "
            "s AS (SELECT s.* REPLACE (coalesce(s.cpu_q, m.cpu_q) AS cpu_q, coalesce(s.gpu_q, m.gpu_q) AS "
            "gpu_q), x.stack FROM op_rows s LEFT JOIN m ON m.op = s.op{2} LEFT JOIN x ON x.op = s.op) ",
            by.keys, only, by.on("m"));
        q.source = "s";
    } else {
        q.source = "(SELECT *, NULL AS stack FROM op_rows) s";
    }
    q.source +=
        " LEFT JOIN raw.op_identities i ON i.id = s.op LEFT JOIN raw.layers l ON l.id = i.layer LEFT JOIN "
        "work_rows wk ON wk.key = s.op" +
        by.on("wk") + by.joins;
    q.order = {main_order(session), {"total_cpu_time_ns", true}, {"op_name", false}, {"op_id", false}};
    by.order(q);
    return q;
}

}  // namespace

Status make_outside_ops(Session& session) {
    return make_outside_ops(session, groups({}));
}

Result<Report> detailed_report(Session& session, const TableShape& shape) {
    const Groups by = groups(shape);
    OPSIGHT_TRY(make_op_rows(session, by));
    OPSIGHT_TRY(make_work_rows(session, by, "s.op", ""));
    std::string only = "true";
    if (shape.limit > 0 && !sorts_by_distribution(shape)) {
        OPSIGHT_ASSIGN(const ResultTable first,
                       ask(session, detailed_question(session, shape, by, {}), shape));
        only = among(first);
    }
    OPSIGHT_TRY(make_op_quantiles(session, only, shape.by_rank, shape.by_device));
    OPSIGHT_ASSIGN(ResultTable table, ask(session, detailed_question(session, shape, by, only), shape));
    return single("detailed", std::move(table), &session);
}

Result<Report> op_type_report(Session& session, const TableShape& shape) {
    const Groups by = groups(shape);
    Question q{"op_type", "Op Type Summary"};
    q.fields = by.fields;
    append(q.fields, {{{"op_type", "Op Type"}, "s.type"},
                      {{"ops", "# Ops", Unit::kCount, 2}, "s.ops"},
                      {{"calls", "# Calls", Unit::kCount, 1}, "s.calls"}});
    append(q.fields, sixteen_times(session.contents().device_work));
    append(q.fields, {{{"self_cpu_time_ns", "Self CPU Time (ns)", Unit::kNs, 1}, "s.self_cpu_ns"},
                      {{"self_gpu_time_ns", "Self GPU Time (ns)", Unit::kNs}, "s.self_gpu_ns", true},
                      quantile("median_cpu_time_ns", "Median CPU Time (ns)", "cpu_q", 1, false),
                      quantile("p95_cpu_time_ns", "P95 CPU Time (ns)", "cpu_q", 2, false)});
    append(q.fields, work_fields("wk", false));
    OPSIGHT_TRY(make_work_rows(session, by, "i.type", "JOIN raw.op_identities i ON i.id = s.op"));
    q.with = fmt::format(
        "WITH sums AS (SELECT i.type{0}, count(DISTINCT s.op) AS ops, {1} FROM sel_stats s "
        "JOIN raw.op_identities i ON i.id = s.op GROUP BY i.type{0}), "
        "m AS (SELECT i.type{2}, quantile_cont(o.dur_ns, [0.5, 0.95]) AS cpu_q FROM {3} "
        "JOIN raw.op_identities i ON i.id = o.op GROUP BY ALL), {4}, "
        "ut AS (SELECT coalesce(i.type, 'unassociated') AS type{0}, count(DISTINCT s.name) AS ops, {5} FROM "
        "u s "
        "LEFT JOIN raw.op_identities i ON i.id = s.op GROUP BY ALL), "
        "s AS (SELECT s.*, m.cpu_q FROM sums s JOIN m ON m.type = s.type{6} UNION ALL BY NAME SELECT * FROM "
        "ut) ",
        by.keys, kSums, by.instances, shape.by_rank || shape.by_device ? kInstances : "sel_ops o",
        unassociated(by), kSums, by.on("m"));
    q.source = "s LEFT JOIN work_rows wk ON wk.key = s.type" + by.on("wk") + by.joins;
    q.order = {main_order(session), {"total_cpu_time_ns", true}, {"op_type", false}};
    by.order(q);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    return single("op_type", std::move(table), &session);
}

Result<Report> group_op_report(Session& session, const TableShape& shape) {
    const Groups by = groups(shape);
    // Every layer with all that it lies in, -1 the root of all.
    OPSIGHT_TRY(session.execute(
        "CREATE OR REPLACE TEMP TABLE layers_above AS WITH RECURSIVE up AS (SELECT id AS layer, id AS "
        "ancestor "
        "FROM raw.layers UNION ALL SELECT up.layer, l.parent FROM up JOIN raw.layers l ON l.id = up.ancestor "
        "WHERE l.parent <> -1) SELECT * FROM up UNION ALL SELECT id, -1 FROM raw.layers UNION ALL SELECT -1, "
        "-1"));
    OPSIGHT_TRY(make_outside_ops(session, by));
    Question q{"group_op", "Group Ops (Layers)"};
    q.fields = by.fields;
    append(q.fields,
           {{{"name", "Name"}, "coalesce('/' || l.path, '/')"},
            {{"calls", "Num Calls Aggregated", Unit::kCount, 2}, "s.calls"},
            {{"tc_eligible_ops", "Num TC Eligible Ops", Unit::kCount, 4}, "coalesce(n.eligible, 0)", true},
            {{"tc_ops", "Num Ops Using TC", Unit::kCount, 4}, "coalesce(n.using_tc, 0)", true}});
    append(q.fields, sixteen_times(session.contents().device_work));
    const int cpu_parts = session.contents().device_work ? 7 : 1;
    append(q.fields, {{{"self_cpu_time_ns", "Self CPU Time (ns)", Unit::kNs, 8}, "coalesce(n.own_cpu_ns, 0)"},
                      {{"forward_cpu_time_ns", "Forward CPU Time (ns)", Unit::kNs, cpu_parts},
                       "coalesce(n.forward_cpu_ns, 0)"},
                      {{"backward_cpu_time_ns", "Backward CPU Time (ns)", Unit::kNs, cpu_parts},
                       "coalesce(n.backward_cpu_ns, 0)"},
                      {{"forward_gpu_time_ns", "Forward GPU Time (ns)", Unit::kNs, 3},
                       "coalesce(n.forward_gpu_ns, 0)",
                       true},
                      {{"backward_gpu_time_ns", "Backward GPU Time (ns)", Unit::kNs, 3},
                       "coalesce(n.backward_gpu_ns, 0)",
                       true},
                      {{"ops", "# Ops", Unit::kCount, 6}, "n.ops"}});
    append(q.fields, work_fields("wk", false));
    OPSIGHT_TRY(make_work_rows(session, by, "a.ancestor",
                               "JOIN raw.op_identities i ON i.id = s.op JOIN layers_above a ON a.layer = "
                               "i.layer"));
    q.with = group_sums(by);
    q.source = fmt::format(
        "s JOIN n ON n.layer = s.layer{} LEFT JOIN raw.layers l ON l.id = s.layer "
        "LEFT JOIN work_rows wk ON wk.key = s.layer{}{}",
        by.on("n"), by.on("wk"), by.joins);
    q.order = {{session.contents().device_work ? "total_gpu_time_ns" : "total_cpu_time_ns", true},
               {"total_cpu_time_ns", true},
               {"name", false}};
    by.order(q);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    return single("group_op", std::move(table), &session, true);
}

}  // namespace opsight::query
