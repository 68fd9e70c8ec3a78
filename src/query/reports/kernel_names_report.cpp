// Kernels by their names alone, whatever launched them.
#include <fmt/format.h>

#include "db/schema.h"
#include "query/reports/reports.h"

namespace opsight::query {

Result<Report> kernel_name_report(Session& session, const TableShape& shape) {
    Question q{"kernel_name", "Kernels by Name"};
    std::string keys;
    if (shape.by_rank) {
        q.fields.push_back({{"rank", "Rank", Unit::kCount, 0, Role::kId}, "gr.number"});
        keys += ", t.rank";
    }
    if (shape.by_device) {
        q.fields.push_back({{"device", "Device ID", Unit::kCount, 0, Role::kId}, "gd.number"});
        keys += ", t.device";
    }
    const std::vector<Field> fields = {
        {{"kernel_name", "Kernel Name"}, "k.name", true},
        {{"uses_tc", "Uses TC", Unit::kNone, 1}, db::tensor_core_use_text("k.uses_tc"), true},
        {{"calls", "No. Calls", Unit::kCount}, "s.calls"},
        {{"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}, "s.total", true},
        {{"kernel_share_pct", "Kernel Time (%)", Unit::kPercent, 1},
         "100.0 * s.total / nullif((SELECT sum(total) FROM s), 0)",
         true},
        {{"avg_gpu_time_ns", "Avg GPU Time (ns)", Unit::kNs, 2}, "round(s.total / s.calls)::BIGINT", true},
        {{"min_gpu_time_ns", "Min GPU Time (ns)", Unit::kNs, 4}, "s.least", true},
        {{"max_gpu_time_ns", "Max GPU Time (ns)", Unit::kNs, 4}, "s.most", true},
        {{"ops", "# Ops", Unit::kCount, 3}, "s.ops"},
        {{"class", "Class", Unit::kNone, 5}, "CASE k.class WHEN 0 THEN 'compute' ELSE 'communication' END"},
        {{"short_name", "Short Name", Unit::kNone, 6}, "k.short_name"},
    };
    q.fields.insert(q.fields.end(), fields.begin(), fields.end());
    q.with = fmt::format(
        "WITH s AS (SELECT d.name AS kernel{}, count(*) AS calls, sum(d.dur_ns)::BIGINT AS total, "
        "min(d.dur_ns) AS "
        "least, max(d.dur_ns) AS most, count(DISTINCT d.op) AS ops FROM sel_device d JOIN raw.tracks t ON "
        "t.id = "
        "d.track WHERE d.kind = 0 GROUP BY ALL) ",
        keys);
    q.source = "s JOIN raw.kernel_names k ON k.id = s.kernel";
    if (shape.by_rank) q.source += " LEFT JOIN raw.ranks gr ON gr.id = s.rank";
    if (shape.by_device) q.source += " LEFT JOIN raw.devices gd ON gd.id = s.device";
    q.order = {{"total_gpu_time_ns", true}, {"kernel_name", false}};
    if (shape.by_rank) q.order.emplace_back("rank", false);
    if (shape.by_device) q.order.emplace_back("device", false);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    Report report{"kernel_name", table.title, {}, {}};
    if (!session.contents().device_work)
        report.notes.push_back("the profile has no kernels: nothing ran on a device");
    report.sections.push_back({std::move(table)});
    return report;
}

}  // namespace opsight::query
