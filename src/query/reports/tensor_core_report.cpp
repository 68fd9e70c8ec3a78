// The report with a row per op that could use Tensor Cores.
#include <fmt/format.h>

#include "db/schema.h"
#include "query/reports/op_groups.h"
#include "query/reports/reports.h"

namespace opsight::query {
namespace {

// Kernels of each eligible op, `k`. A kernel counts for the innermost eligible op around its launch alone:
// ops that could use Tensor Cores call each other (linear, addmm), and the rows of the table add up.
std::string eligible_kernels(const Groups& by) {
    return fmt::format(
        "WITH RECURSIVE s AS (SELECT s.op{0}, sum(s.calls)::BIGINT AS calls, sum(s.kernels) AS kernels FROM "
        "sel_stats s JOIN raw.op_identities i ON i.id = s.op WHERE i.tc_eligible GROUP BY s.op{0}), "
        "e AS (SELECT op_span, CASE op_span WHEN -1 THEN op END AS op, CASE op_span WHEN -1 THEN track END "
        "AS "
        "track, name, count(*) AS kernels, sum(dur_ns) AS ns FROM sel_device WHERE kind = 0 AND (op_span = "
        "-1 OR (flags & 128) <> 0) GROUP BY ALL), "
        "climb AS (SELECT o.id, o.op, o.track, o.parent_op, i.tc_eligible AS found, e.name, e.kernels, e.ns "
        "FROM e JOIN raw.ops o ON o.id = e.op_span JOIN raw.op_identities i ON i.id = o.op UNION ALL "
        "SELECT o.id, o.op, o.track, o.parent_op, i.tc_eligible, c.name, c.kernels, c.ns FROM climb c JOIN "
        "raw.ops o ON o.id = c.parent_op JOIN raw.op_identities i ON i.id = o.op WHERE NOT c.found), "
        "all_of AS (SELECT o.op, o.name, o.kernels, o.ns{1} FROM climb o JOIN raw.tracks t ON t.id = o.track "
        "LEFT JOIN raw.op_work w ON w.id = o.id WHERE o.found UNION ALL SELECT o.op, o.name, o.kernels, o.ns"
        "{1} FROM e o JOIN raw.op_identities i ON i.id = o.op AND i.tc_eligible JOIN raw.tracks t ON t.id = "
        "o.track, (SELECT -1 AS device) w), "
        "m AS (SELECT s.op{0}, s.name, sum(s.kernels)::BIGINT AS kernels, sum(s.ns)::BIGINT AS ns FROM "
        "all_of "
        "s GROUP BY ALL), "
        "k AS (SELECT s.op{0}, sum(s.kernels)::BIGINT AS kernels, sum(s.ns)::BIGINT AS ns, "
        "(sum(s.kernels) FILTER (WHERE n.uses_tc = 1))::BIGINT AS tc_kernels, "
        "(sum(s.ns) FILTER (WHERE n.uses_tc = 1))::BIGINT AS tc_ns, "
        "(sum(s.kernels) FILTER (WHERE n.uses_tc = 2))::BIGINT AS unknown_kernels, "
        "(sum(s.ns) FILTER (WHERE n.uses_tc = 2))::BIGINT AS unknown_ns, "
        "string_agg(n.label, '; ' ORDER BY n.label) FILTER (WHERE n.uses_tc = 1) AS tc_names, "
        "string_agg(n.label, '; ' ORDER BY n.label) FILTER (WHERE n.uses_tc <> 1) AS other_names, "
        "string_agg(DISTINCT {2}, ', ') FILTER (WHERE n.uses_tc = 1) AS evidence "
        "FROM m s JOIN raw.kernel_names n ON n.id = s.name GROUP BY s.op{0}) ",
        by.keys, by.instances, db::evidence_text("n.tc_evidence"));
}

std::vector<Field> eligible_fields(const TableShape& shape) {
    const char* uses =
        "CASE WHEN k.tc_kernels > 0 THEN 'yes' WHEN k.unknown_kernels > 0 THEN 'unknown' ELSE 'no' END";
    const auto none = [](const char* column) { return fmt::format("coalesce(k.{}, 0)", column); };
    const std::string others = none("ns") + " - " + none("tc_ns") + " - " + none("unknown_ns");
    return {
        {{"op_id", "Op ID", Unit::kCount, 4, Role::kId}, "s.op"},
        {{"op_name", "Op Name"}, "i.name"},
        {{"direction", "Direction", Unit::kNone, 3}, db::direction_text("i.direction")},
        {{"op_type", "Op Type", Unit::kNone, 6}, "i.type"},
        {{"uses_tc", "Uses TC"}, uses, true},
        {{"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}, none("ns"), true},
        {{"tc_gpu_time_ns", "TC GPU Time (ns)", Unit::kNs, 1}, none("tc_ns"), true},
        {{"non_tc_gpu_time_ns", "Non-TC GPU Time (ns)", Unit::kNs, 2}, others, true},
        {{"unknown_tc_gpu_time_ns", "Unknown TC GPU Time (ns)", Unit::kNs, 2}, none("unknown_ns"), true},
        {{"tc_utilization_pct", "TC Utilization (%)", Unit::kPercent, 2},
         "100.0 * coalesce(k.tc_ns, 0) / nullif(k.ns, 0)",
         true},
        {{"kernels", "Total Kernel Count", Unit::kCount, 5}, none("kernels"), true},
        {{"tc_kernels", "TC Kernel Count", Unit::kCount, 5}, none("tc_kernels"), true},
        {{"tc_kernel_names", "TC Kernel Names", Unit::kNone, 7}, "k.tc_names", true},
        {{"non_tc_kernels", "Non-TC Kernel Count", Unit::kCount, 5},
         none("kernels") + " - " + none("tc_kernels") + " - " + none("unknown_kernels"),
         true},
        {{"non_tc_kernel_names", "Other Kernel Names", Unit::kNone, 8}, "k.other_names", true},
        {{"unknown_tc_kernels", "Unknown TC Kernel Count", Unit::kCount, 6}, none("unknown_kernels"), true},
        {{"tc_evidence", "TC Evidence", Unit::kNone, 6}, "k.evidence", true},
        {{"calls", "No. Calls", Unit::kCount, 6}, "s.calls"},
        {{"dtypes", "Data Type", Unit::kNone, 9, Role::kTypes}, "nullif(i.dtypes, '')"},
        {{"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes}, shapes_sql("i.shapes", shape)},
        {{"layer", "Layer", Unit::kNone, 7}, "l.path"}};
}

}  // namespace

Result<Report> tensor_core_report(Session& session, const TableShape& shape) {
    const Groups by = groups(shape);
    Question q{"tensor_core", "Tensor Cores (eligible ops)"};
    q.fields = by.fields;
    for (Field& field : eligible_fields(shape))
        q.fields.push_back(std::move(field));
    q.with = eligible_kernels(by);
    // Ops all of whose kernels count for eligible ones inside them have no row.
    q.source =
        "s JOIN raw.op_identities i ON i.id = s.op LEFT JOIN raw.layers l ON l.id = i.layer "
        "LEFT JOIN k ON k.op = s.op" +
        by.on("k") + by.joins + " WHERE (k.kernels > 0 OR s.kernels = 0)";
    if (shape.for_people && !session.contents().device_work) q.source += " AND false";
    q.order = {{"total_gpu_time_ns", true}, {"op_name", false}, {"op_id", false}};
    by.order(q);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    Report report{"tensor_core", table.title, {}, {}};
    report.sections.push_back({std::move(table)});
    if (!session.contents().device_work)
        report.notes.push_back("the profile has no device work, so nothing can be said of Tensor Core use");
    return report;
}

}  // namespace opsight::query
