#include "query/reports/viewer_tables.h"

#include <fmt/format.h>

#include "db/schema.h"
#include "query/ask/page.h"
#include "query/reports/memory.h"
#include "query/session/track_id.h"

namespace opsight::query {
namespace {

constexpr const char* kKernelClass = "CASE k.class WHEN 0 THEN 'compute' ELSE 'communication' END";

// Condition on a device span: it was launched by an instance of the op within the range, or by what that
// calls.
Result<std::string> launched_under(Session& session, int64_t op) {
    OPSIGHT_TRY(session.execute(
        fmt::format("CREATE OR REPLACE TEMP TABLE under_op AS WITH RECURSIVE under AS (SELECT id FROM "
                    "sel_ops WHERE op = {} "
                    "UNION SELECT o.id FROM under u JOIN raw.ops o ON o.parent_op = u.id) FROM under",
                    op)));
    return fmt::format("d.kind = 0 AND (d.op = {} OR d.op_span IN (SELECT id FROM under_op))", op);
}

// "contains(lower(a), lower($1)) OR ...": the text is the statement's only argument.
std::string any_contains(const std::vector<std::string>& columns) {
    std::string sql;
    for (const std::string& column : columns)
        sql += fmt::format("{}contains(lower({}), lower($1))", sql.empty() ? "" : " OR ", column);
    return sql;
}

// "d.name IN (3, 5)" for the first column of the rows; "false" where there are none.
std::string among(const char* column, const duck::Rows& ids) {
    std::string list;
    for (const auto& row : ids.rows)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", std::get<int64_t>(row[0]));
    return list.empty() ? "false" : fmt::format("{} IN ({})", column, list);
}

// Condition on a device span: a text of its kernel or its op holds `text`. Nothing where a text that belongs
// to the instance itself holds it too.
Result<std::optional<std::string>> holds_text(Session& session, const std::string& text, bool with_places) {
    OPSIGHT_ASSIGN(const duck::Rows own, session.query("SELECT EXISTS (FROM raw.signatures WHERE " +
                                                           any_contains({"concrete"}) + ")",
                                                       {text}));
    if (std::get<bool>(own.rows.at(0)[0])) return std::optional<std::string>();
    std::vector<std::string> texts = {"k.name", "k.label", db::tensor_core_use_text("k.uses_tc")};
    if (with_places)
        texts.insert(texts.end(), {"k.tc_pattern", db::evidence_text("k.tc_evidence"), kKernelClass});
    OPSIGHT_ASSIGN(const duck::Rows kernels,
                   session.query("SELECT k.id FROM raw.kernel_names k WHERE " + any_contains(texts), {text}));
    OPSIGHT_ASSIGN(
        const duck::Rows ops,
        session.query(
            "SELECT i.id FROM raw.op_identities i LEFT JOIN raw.layers l ON l.id = i.layer WHERE " +
                any_contains({"i.name", "i.type", searched_text("shapes", "i.shapes"), "i.dtypes", "l.path",
                              searched_text("direction", db::direction_text("i.direction"))}),
            {text}));
    return std::optional(fmt::format("({} OR {})", among("d.name", kernels), among("d.op", ops)));
}

// Events of memory in the range, with the innermost op that was open: of the op that began last before the
// event and those around it, the first that had not ended.
constexpr const char* kEvents =
    "WITH RECURSIVE e AS (SELECT m.rowid AS event, m.track, m.time_ns, m.bytes, m.total_allocated, "
    "m.device_type, "
    "m.device, t.rank FROM raw.memory_events m JOIN raw.tracks t ON t.id = m.track WHERE EXISTS (FROM "
    "sel_wall w "
    "WHERE w.rank = t.rank AND m.time_ns >= w.begin_ns AND m.time_ns < w.end_ns)), "
    "near AS (SELECT e.event, e.time_ns, o.op, o.parent_op, o.begin_ns + o.dur_ns AS end_ns FROM e "
    "ASOF JOIN raw.ops o ON o.track = e.track AND o.begin_ns <= e.time_ns), "
    "up AS (FROM near UNION ALL SELECT u.event, u.time_ns, o.op, o.parent_op, o.begin_ns + o.dur_ns FROM up "
    "u "
    "JOIN raw.ops o ON o.id = u.parent_op WHERE u.end_ns <= u.time_ns), "
    "of_op AS (SELECT event, op FROM up WHERE end_ns > time_ns), "
    "s AS (SELECT coalesce(f.op, -1) AS op, e.rank, e.device_type, e.device, "
    "count(*) FILTER (WHERE e.bytes > 0) AS allocations, count(*) FILTER (WHERE e.bytes < 0) AS frees, "
    "coalesce(sum(e.bytes) FILTER (WHERE e.bytes > 0), 0)::BIGINT AS allocated, "
    "coalesce(-sum(e.bytes) FILTER (WHERE e.bytes < 0), 0)::BIGINT AS freed, max(e.bytes) AS largest "
    "FROM e LEFT JOIN of_op f ON f.event = e.event GROUP BY ALL) ";

}  // namespace

std::vector<Field> instance_places() {
    return {{{"class", "Class"}, kKernelClass},
            {{"tc_evidence", "TC Evidence"}, db::evidence_text("k.tc_evidence"), true},
            {{"tc_pattern", "TC Pattern"}, "nullif(k.tc_pattern, '')", true},
            {{"track", "Track", Unit::kCount, 0, Role::kId},
             fmt::format("s.track::BIGINT * {} + {}", static_cast<int>(TrackPart::kCount),
                         static_cast<int>(TrackPart::kStream))},
            {{"span", "Span", Unit::kCount, 0, Role::kId}, "s.place"}};
}

Result<ResultTable> searched_instances(Session& session, const TableShape& shape, std::vector<Field> more) {
    std::optional<std::string> found;
    if (shape.page && !shape.page->search.empty()) {
        OPSIGHT_ASSIGN(found, holds_text(session, shape.page->search, !more.empty()));
    }
    if (!found) return kernel_instances(session, shape, kAllKernels, std::move(more));
    TableShape rest = shape;
    rest.page->search.clear();
    OPSIGHT_ASSIGN(ResultTable table,
                   kernel_instances(session, rest, kAllKernels + (" AND " + *found), std::move(more)));
    if (rest.page->streamed) return table;
    if (rest.page->filters.empty()) table.rows_matching = table.rows_in_all;
    OPSIGHT_ASSIGN(const duck::Rows all,
                   session.query(fmt::format("SELECT count(*) FROM sel_device d WHERE {}", kAllKernels)));
    table.rows_in_all = std::get<int64_t>(all.rows.at(0)[0]);
    return table;
}

Result<ResultTable> op_kernels(Session& session, const TableSubject& subject, const TableShape& shape) {
    OPSIGHT_ASSIGN(const std::string which, launched_under(session, subject.op.value_or(-1)));
    return kernel_sums(session, shape, which);
}

Result<ResultTable> op_kernel_instances(Session& session, const TableSubject& subject,
                                        const TableShape& shape) {
    OPSIGHT_ASSIGN(const std::string which, launched_under(session, subject.op.value_or(-1)));
    return kernel_instances(session, shape, which, instance_places());
}

// From where an op was called: what `stack` of its row is the most costly of.
Result<ResultTable> op_stacks(Session& session, const TableSubject& subject, const TableShape& shape) {
    Question q{"op_stacks", "Where the Op Is Called"};
    q.fields = {{{"stack", "Stack Trace", Unit::kNone, 0, Role::kStack}, "s.stack"},
                {{"calls", "No. Calls", Unit::kCount}, "s.calls"},
                {{"total_cpu_time_ns", "Total CPU Time (ns)", Unit::kNs}, "s.cpu_ns"},
                {{"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}, "s.gpu_ns", true}};
    q.with = fmt::format(
        "WITH s AS (SELECT nullif(e.stack, '') AS stack, count(*) AS calls, sum(o.dur_ns)::BIGINT AS cpu_ns, "
        "coalesce(sum(w.gpu_ns), 0)::BIGINT AS gpu_ns FROM sel_ops o LEFT JOIN raw.op_extras e ON e.id = "
        "o.id "
        "LEFT JOIN raw.op_work w ON w.id = o.id WHERE o.op = {} GROUP BY 1) ",
        subject.op.value_or(-1));
    q.source = "s";
    q.order = {{"total_cpu_time_ns", true}, {"calls", true}, {"stack", false}};
    return ask(session, q, shape);
}

Result<ResultTable> key_ops(Session& session, const TableSubject&, const TableShape& shape) {
    Question q{"key_ops", "Ops to Cut Iterations by"};
    q.fields = {{{"name", "Name"}, "s.name"},
                {{"kind", "Kind"}, "s.kind"},
                {{"calls", "Calls", Unit::kCount}, "s.calls"},
                {{"ranks", "Ranks", Unit::kCount}, "s.ranks"},
                {{"calls_per_rank", "Calls per Rank", Unit::kNone, 0, Role::kNumber}, "s.calls / s.ranks"},
                {{"total_cpu_time_ns", "Total CPU Time (ns)", Unit::kNs}, "s.cpu_ns"},
                {{"iterations_now", "Calls per Iteration Now", Unit::kNone, 0, Role::kNumber},
                 "s.calls / s.ranks / nullif((SELECT max(number) + 1 FROM raw.iterations), 0)"}};
    // Ranges such as an optimizer's step end iterations too; one that is there once cannot.
    q.with =
        "WITH o AS (SELECT i.name, 'op' AS kind, sum(s.calls)::BIGINT AS calls, count(DISTINCT s.rank) AS "
        "ranks, sum(s.cpu_ns)::BIGINT AS cpu_ns FROM raw.op_stats s JOIN raw.op_identities i ON i.id = s.op "
        "GROUP BY 1), "
        "a AS (SELECT x.text AS name, 'range' AS kind, count(*) AS calls, count(DISTINCT t.rank) AS ranks, "
        "sum(n.dur_ns)::BIGINT AS cpu_ns FROM raw.annotations n JOIN raw.strings x ON x.id = n.name "
        "JOIN raw.tracks t ON t.id = n.track GROUP BY 1 HAVING count(*) > count(DISTINCT t.rank)), "
        "s AS (FROM o UNION ALL SELECT * FROM a WHERE name NOT IN (SELECT name FROM o)) ";
    q.source = "s";
    q.order = {{"calls", false}, {"total_cpu_time_ns", true}, {"name", false}};
    return ask(session, q, shape);
}

Result<ResultTable> memory_allocators(Session& session, const TableSubject&, const TableShape& shape) {
    Question q{"memory_allocators", "Memory by Op"};
    q.fields = {{{"rank", "Rank", Unit::kCount, 0, Role::kId}, "r.number"},
                {{"device_type", "Device Type"}, memory_kind_sql("s.device_type")},
                {{"device", "Device ID", Unit::kCount, 0, Role::kId}, "nullif(s.device, -1)"},
                {{"op_id", "Op ID", Unit::kCount, 0, Role::kId}, "nullif(s.op, -1)"},
                {{"op_name", "Op Name"}, "i.name"},
                {{"direction", "Direction"}, db::direction_text("i.direction")},
                {{"layer", "Layer"}, "l.path"},
                {{"allocations", "Allocations", Unit::kCount}, "s.allocations"},
                {{"allocated_bytes", "Allocated (bytes)", Unit::kBytes}, "s.allocated"},
                {{"largest_bytes", "Largest (bytes)", Unit::kBytes}, "greatest(s.largest, 0)"},
                {{"frees", "Frees", Unit::kCount}, "s.frees"},
                {{"freed_bytes", "Freed (bytes)", Unit::kBytes}, "s.freed"},
                {{"kept_bytes", "Allocated - Freed (bytes)", Unit::kBytes}, "s.allocated - s.freed"},
                {{"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes}, shapes_sql("i.shapes", shape)}};
    q.with = kEvents;
    q.source =
        "s LEFT JOIN raw.op_identities i ON i.id = s.op LEFT JOIN raw.layers l ON l.id = i.layer "
        "LEFT JOIN raw.ranks r ON r.id = s.rank";
    q.order = {
        {"allocated_bytes", true}, {"rank", false}, {"device", false}, {"op_name", false}, {"op_id", false}};
    return ask(session, q, shape);
}

Result<ResultTable> communication(Session& session, const TableSubject&, const TableShape& shape) {
    Question q{"communication", "Communication"};
    q.fields = {
        {{"rank", "Rank", Unit::kCount, 0, Role::kId}, "r.number"},
        {{"device", "Device ID", Unit::kCount, 0, Role::kId}, "dv.number"},
        {{"collective", "Collective"}, "coalesce(nullif(c.name, ''), k.label)"},
        {{"dtype", "Data Type"}, "nullif(c.dtype, '')"},
        {{"group", "Process Group"}, "nullif(c.group_name, '')"},
        {{"group_size", "Group Size", Unit::kCount}, "nullif(c.group_size, -1)"},
        {{"in_elements", "Elements In", Unit::kCount}, "nullif(c.in_elements, -1)"},
        {{"out_elements", "Elements Out", Unit::kCount}, "nullif(c.out_elements, -1)"},
        {{"calls", "Calls", Unit::kCount}, "s.calls"},
        {{"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}, "s.total", true},
        {{"avg_gpu_time_ns", "Avg GPU Time (ns)", Unit::kNs}, "round(s.total / s.calls)::BIGINT", true},
        {{"min_gpu_time_ns", "Min GPU Time (ns)", Unit::kNs}, "s.least", true},
        {{"max_gpu_time_ns", "Max GPU Time (ns)", Unit::kNs}, "s.most", true},
        {{"kernel_name", "Kernel Name"}, "k.label", true}};
    q.with =
        "WITH s AS (SELECT t.rank, t.device, d.collective, d.name, count(*) AS calls, sum(d.dur_ns)::BIGINT "
        "AS "
        "total, min(d.dur_ns) AS least, max(d.dur_ns) AS most FROM sel_device d JOIN raw.tracks t ON t.id = "
        "d.track "
        "WHERE d.kind = 0 GROUP BY ALL) ";
    q.source =
        "s JOIN raw.kernel_names k ON k.id = s.name AND k.class <> 0 LEFT JOIN raw.collectives c ON c.id = "
        "s.collective LEFT JOIN raw.ranks r ON r.id = s.rank LEFT JOIN raw.devices dv ON dv.id = s.device";
    q.order = {{"total_gpu_time_ns", true}, {"rank", false},        {"device", false},
               {"collective", false},       {"in_elements", false}, {"kernel_name", false}};
    return ask(session, q, shape);
}

Result<ResultTable> communication_overlap(Session& session) {
    Question q{"overlap", "Communication and Computing"};
    q.fields = {{{"rank", "Rank", Unit::kCount, 0, Role::kId}, "r.number"},
                {{"device", "Device ID", Unit::kCount, 0, Role::kId}, "d.number"},
                {{"communication_ns", "Communication Time (ns)", Unit::kNs}, "s.comm_ns"},
                {{"overlap_ns", "Overlapped (ns)", Unit::kNs}, "s.overlap_ns"},
                {{"exposed_ns", "Exposed Communication (ns)", Unit::kNs}, "s.comm_ns - s.overlap_ns"},
                {{"overlap_pct", "Communication Overlap %", Unit::kPercent},
                 "100.0 * s.overlap_ns / nullif(s.comm_ns, 0)"}};
    q.with =
        "WITH p AS (SELECT s.device, s.overlapped, greatest(0, least(s.end_ns, w.end_ns) - "
        "greatest(s.begin_ns, "
        "w.begin_ns)) AS ns FROM raw.comm_segments s JOIN raw.devices d ON d.id = s.device JOIN sel_wall w "
        "ON "
        "w.rank = d.rank), s AS (SELECT device, sum(ns)::BIGINT AS comm_ns, "
        "coalesce(sum(ns) FILTER (WHERE overlapped), 0)::BIGINT AS overlap_ns FROM p GROUP BY 1) ";
    q.source = "s JOIN raw.devices d ON d.id = s.device LEFT JOIN raw.ranks r ON r.id = d.rank";
    q.order = {{"rank", false}, {"device", false}};
    return ask(session, q, {});
}

}  // namespace opsight::query
