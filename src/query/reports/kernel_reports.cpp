// Reports with a row per kernel, kernel instance and iteration.
#include <fmt/format.h>

#include "db/schema.h"
#include "query/reports/work.h"

namespace opsight::query {
namespace {

// Device spans with their kernel, place and launch configuration; `d` is sel_device of one kind.
std::string kernel_source() {
    return "sel_device d JOIN raw.kernel_names k ON k.id = d.name JOIN raw.tracks t ON t.id = d.track "
           "LEFT JOIN raw.launch_configs c ON c.id = d.config";
}

void append(std::vector<Field>& to, std::vector<Field> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::vector<Field> kernel_fields(const TableShape& shape) {
    return {
        {{"kernel_name", "Kernel Name"}, "k.label", true},
        {{"op_id", "Op ID", Unit::kCount, 4, Role::kId}, "s.op"},
        {{"op_name", "Op Name"}, "i.name"},
        {{"direction", "Direction", Unit::kNone, 3}, db::direction_text("i.direction")},
        {{"uses_tc", "Uses TC", Unit::kNone, 1}, db::tensor_core_use_text("k.uses_tc"), true},
        {{"total_gpu_time_ns", "Total GPU Time (ns)", Unit::kNs}, "s.total", true},
        {{"avg_gpu_time_ns", "Avg GPU Time (ns)", Unit::kNs, 2}, "round(s.total / s.calls)::BIGINT", true},
        {{"min_gpu_time_ns", "Min GPU Time (ns)", Unit::kNs, 6}, "s.least", true},
        {{"max_gpu_time_ns", "Max GPU Time (ns)", Unit::kNs, 6}, "s.most", true},
        {{"total_api_time_ns", "Total API Time (ns)", Unit::kNs, 5}, "s.api_total"},
        {{"avg_api_time_ns", "Avg API Time (ns)", Unit::kNs, 7},
         "round(s.api_total / nullif(s.api_calls, 0))::BIGINT"},
        {{"min_api_time_ns", "Min API Time (ns)", Unit::kNs, 8}, "s.api_least"},
        {{"max_api_time_ns", "Max API Time (ns)", Unit::kNs, 8}, "s.api_most"},
        {{"calls", "No. Calls", Unit::kCount, 1}, "s.calls"},
        {{"median_gpu_time_ns", "Median GPU Time (ns)", Unit::kNs, 5}, "round(s.q[1])::BIGINT", true},
        {{"p95_gpu_time_ns", "P95 GPU Time (ns)", Unit::kNs, 6}, "round(s.q[2])::BIGINT", true},
        {{"kernel_share_pct", "Kernel Time (%)", Unit::kPercent, 2},
         "100.0 * s.total / (SELECT sum(total) FROM s)",
         true},
        {{"occupancy_pct", "Occupancy (%)", Unit::kPercent, 6}, "s.occupancy", true},
        {{"waves", "Waves", Unit::kNone, 7, Role::kNumber}, "s.waves", true},
        {{"tail_pct", "Tail (%)", Unit::kPercent, 7}, "s.tail", true},
        {{"class", "Class", Unit::kNone, 9}, "CASE k.class WHEN 0 THEN 'compute' ELSE 'communication' END"},
        {{"tc_evidence", "TC Evidence", Unit::kNone, 9}, db::evidence_text("k.tc_evidence"), true},
        {{"tc_pattern", "TC Pattern", Unit::kNone, 9}, "nullif(k.tc_pattern, '')", true},
        {{"layer", "Layer", Unit::kNone, 7}, "l.path"},
        {{"shapes", "Input Shapes", Unit::kNone, 2, Role::kShapes}, shapes_sql("i.shapes", shape)},
        {{"long_kernel_name", "Long Kernel Name", Unit::kNone, 10}, "k.name", true},
    };
}

std::vector<Field> instance_fields() {
    std::vector<Field> fields = {
        {{"iteration", "Iteration", Unit::kCount, 0, Role::kId}, "nullif(s.iteration, -1)"},
        {{"op_id", "Op ID", Unit::kCount, 5, Role::kId}, "s.op"},
        {{"op_name", "Op Name"}, "i.name"},
        {{"direction", "Direction", Unit::kNone, 4}, db::direction_text("i.direction")},
        {{"op_type", "Op Type", Unit::kNone, 8}, "i.type"},
        {{"kernel_name", "Kernel Name"}, "k.label", true},
        {{"device", "Device ID", Unit::kCount, 2, Role::kId}, "dv.number"},
        {{"gpu_start_ns", "GPU Start Time (ns)", Unit::kNs, 1, Role::kMoment}, "s.begin_ns", true},
        {{"gpu_duration_ns", "GPU Duration (ns)", Unit::kNs}, "s.dur_ns", true},
        {{"api_start_ns", "API Call Start (ns)", Unit::kNs, 6, Role::kMoment}, "s.api_begin"},
        {{"api_duration_ns", "API Call Time (ns)", Unit::kNs, 6}, "s.api_dur"},
        {{"uses_tc", "Uses TC", Unit::kNone, 3}, db::tensor_core_use_text("k.uses_tc"), true},
    };
    for (const auto& [key, head] :
         {std::pair("grid_x", "Grid X"), std::pair("grid_y", "Grid Y"), std::pair("grid_z", "Grid Z"),
          std::pair("block_x", "Block X"), std::pair("block_y", "Block Y"), std::pair("block_z", "Block Z")})
        fields.push_back({{key, head, Unit::kCount, 9}, fmt::format("nullif(c.{}, -1)", key)});
    append(fields,
           {{{"dtypes", "Data Types", Unit::kNone, 10, Role::kTypes}, "nullif(g.dtypes, '')"},
            {{"shapes", "Input Shapes", Unit::kNone, 10, Role::kShapes}, "nullif(g.shapes, '')"},
            {{"parameters", "Parameters", Unit::kNone, 11}, "nullif(g.concrete, '')"},
            {{"long_kernel_name", "Long Kernel Name", Unit::kNone, 12}, "k.name", true},
            {{"rank", "Rank", Unit::kCount, 5, Role::kId}, "r.number"},
            {{"stream", "Stream", Unit::kCount, 7, Role::kId}, "s.stream"},
            {{"correlation", "Correlation", Unit::kCount, 11, Role::kId}, "nullif(s.correlation, -1)"},
            {{"launch_delay_ns", "Launch Delay (ns)", Unit::kNs, 9},
             "CASE WHEN s.begin_ns > s.api_begin + s.api_dur THEN s.begin_ns - s.api_begin - s.api_dur END"},
            {{"registers_per_thread", "Registers", Unit::kCount, 11}, "nullif(c.registers_per_thread, -1)"},
            {{"shared_bytes", "Shared Memory (bytes)", Unit::kBytes, 11},
             "nullif(c.static_shared_bytes, -1) + greatest(c.dynamic_shared_bytes, 0)"},
            {{"occupancy_pct", "Occupancy (%)", Unit::kPercent, 9}, "nullif(c.occupancy_pct, -1)", true},
            {{"waves", "Waves", Unit::kNone, 10, Role::kNumber}, "nullif(c.waves, -1)", true},
            {{"tail_pct", "Tail (%)", Unit::kPercent, 10},
             "CASE WHEN c.waves > 0 THEN 100.0 * (1 - c.waves / ceil(c.waves)) END",
             true},
            {{"layer", "Layer", Unit::kNone, 9}, "l.path"}});
    return fields;
}

// How many rows from the top a table needs whose rows nothing leaves out; 0: all.
int64_t rows_from_top(const TableShape& shape) {
    if (!shape.page) return shape.limit;
    const Page& page = *shape.page;
    const bool all = !page.search.empty() || !page.filters.empty() || !page.place_of.empty();
    return !all && page.size > 0 ? page.first + page.size : 0;
}

// The kernel instances of the range with what they are ordered by. Of a table in its own order or by duration
// that shows only its top, only these: the tables of calls and ops then are read for these alone.
std::string ordered_instances(const TableShape& shape, const std::string& which) {
    std::string sql =
        "SELECT d.*, t.rank, t.device, t.stream FROM sel_device d JOIN raw.tracks t ON t.id = d.track";
    const bool by_duration = shape.sort == "gpu_duration_ns" || shape.sort == "gpu_duration_ns:desc";
    const int64_t limit = rows_from_top(shape);
    if (limit == 0 || (!shape.sort.empty() && !by_duration)) return sql + " WHERE " + which;
    return sql + fmt::format(
                     " JOIN raw.kernel_names k ON k.id = d.name LEFT JOIN raw.devices dv ON dv.id = t.device "
                     "LEFT JOIN raw.ranks r ON r.id = t.rank WHERE {} ORDER BY {}"
                     "nullif(d.iteration, -1) NULLS LAST, r.number NULLS LAST, d.begin_ns, "
                     "dv.number NULLS LAST, t.stream NULLS LAST, nullif(d.correlation, -1) NULLS LAST, "
                     "k.label LIMIT {}",
                     which, by_duration ? "d.dur_ns DESC, " : "", limit);
}

}  // namespace

Result<ResultTable> kernel_instances(Session& session, const TableShape& shape, const std::string& which,
                                     std::vector<Field> more) {
    Question q{"kernels", "Kernels by Iteration"};
    q.fields = instance_fields();
    append(q.fields, std::move(more));
    q.with = fmt::format(
        "WITH s AS (SELECT d.*, o.signature, CASE WHEN d.launch <> -1 THEN d.host_ns END AS api_begin, "
        "nullif(d.launch_dur_ns, -1) AS api_dur FROM ({}) d LEFT JOIN raw.ops o ON o.id = d.op_span) ",
        ordered_instances(shape, which));
    q.source =
        "s JOIN raw.kernel_names k ON k.id = s.name LEFT JOIN raw.op_identities i ON i.id = s.op "
        "LEFT JOIN raw.layers l ON l.id = i.layer LEFT JOIN raw.signatures g ON g.id = s.signature "
        "LEFT JOIN raw.launch_configs c ON c.id = s.config LEFT JOIN raw.devices dv ON dv.id = s.device "
        "LEFT JOIN raw.ranks r ON r.id = s.rank";
    q.order = {{"iteration", false}, {"rank", false},        {"gpu_start_ns", false}, {"device", false},
               {"stream", false},    {"correlation", false}, {"kernel_name", false}};
    q.counted = duck::Statement("SELECT count(*) FROM sel_device d WHERE " + which);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    if (shape.page) return table;
    OPSIGHT_ASSIGN(const duck::Rows all, session.query(q.counted));
    table.rows_in_all = std::get<int64_t>(all.rows.at(0)[0]);
    return table;
}

Result<ResultTable> iteration_list(Session& session, const TableShape& shape) {
    Question q{"iterations", "Iterations"};
    q.fields = {
        {{"rank", "Rank", Unit::kCount, 1, Role::kId}, "r.number"},
        {{"iteration", "Iteration", Unit::kCount, 0, Role::kId}, "s.number"},
        {{"name", "Name", Unit::kNone, 3}, "nullif(s.name, '')"},
        {{"begin_ns", "Begin (ns)", Unit::kNs, 2, Role::kMoment}, "s.begin_ns"},
        {{"duration_ns", "Duration (ns)", Unit::kNs}, "s.end_ns - s.begin_ns"},
        {{"own_duration_ns", "Own Duration (ns)", Unit::kNs, 3}, "s.own_end_ns - s.begin_ns"},
        {{"op_calls", "Op Calls", Unit::kCount, 2}, "coalesce(o.calls, 0)"},
        {{"cpu_time_ns", "CPU Time of Ops (ns)", Unit::kNs, 1}, "coalesce(o.self_cpu_ns, 0)"},
        {{"kernels", "Kernels", Unit::kCount, 1}, "coalesce(d.kernels, 0)", true},
        {{"kernel_time_ns", "Kernel GPU Time (ns)", Unit::kNs}, "coalesce(d.kernel_ns, 0)", true},
        {{"kernel_share_pct", "Kernel Time (%)", Unit::kPercent, 2},
         "100.0 * coalesce(d.kernel_ns, 0) / nullif((SELECT sum(kernel_ns) FROM d), 0)",
         true},
        {{"tc_kernels", "TC Kernels", Unit::kCount, 2}, "coalesce(d.tc_kernels, 0)", true},
        {{"unknown_tc_kernels", "Unknown TC Kernels", Unit::kCount, 3},
         "coalesce(d.unknown_kernels, 0)",
         true},
        {{"tc_kernel_time_ns", "TC GPU Time (ns)", Unit::kNs, 2}, "coalesce(d.tc_ns, 0)", true},
        {{"memory_time_ns", "Memory GPU Time (ns)", Unit::kNs, 2}, "coalesce(d.memory_ns, 0)", true},
        {{"warmup", "Warm-up", Unit::kNone, 3}, "s.warmup"},
        {{"warmup_reason", "Reason", Unit::kNone, 4}, "nullif(s.warmup_reason, '')"},
    };
    q.with =
        "WITH d AS (SELECT t.rank, d.iteration, count(*) FILTER (WHERE d.kind = 0) AS kernels, "
        "count(*) FILTER (WHERE d.kind = 0 AND k.uses_tc = 1) AS tc_kernels, "
        "count(*) FILTER (WHERE d.kind = 0 AND k.uses_tc = 2) AS unknown_kernels, "
        "(sum(d.dur_ns) FILTER (WHERE d.kind = 0))::BIGINT AS kernel_ns, "
        "(sum(d.dur_ns) FILTER (WHERE d.kind IN (1, 2)))::BIGINT AS memory_ns, "
        "(sum(d.dur_ns) FILTER (WHERE d.kind = 0 AND k.uses_tc = 1))::BIGINT AS tc_ns FROM sel_device d "
        "JOIN raw.tracks t ON t.id = d.track LEFT JOIN raw.kernel_names k ON d.kind = 0 AND k.id = d.name "
        "GROUP BY ALL) ";
    q.source =
        "sel_iteration_times s LEFT JOIN raw.ranks r ON r.id = s.rank "
        "LEFT JOIN sel_iteration_ops o ON o.rank = s.rank AND o.iteration = s.number "
        "LEFT JOIN d ON d.rank = s.rank AND d.iteration = s.number";
    q.order = {{"rank", false}, {"iteration", false}};
    return ask(session, q, shape);
}

Result<ResultTable> kernel_sums(Session& session, const TableShape& shape, const std::string& which) {
    Question q{"kernel", "Kernels"};
    std::string keys, joins, work_keys, same;
    if (shape.by_rank) {
        q.fields.push_back({{"rank", "Rank", Unit::kCount, 0, Role::kId}, "gr.number"});
        keys += ", t.rank";
        work_keys += ", s.rank";
        same += " AND wk.rank = s.rank";
        joins += " LEFT JOIN raw.ranks gr ON gr.id = s.rank";
    }
    if (shape.by_device) {
        q.fields.push_back({{"device", "Device ID", Unit::kCount, 0, Role::kId}, "gd.number"});
        keys += ", t.device";
        work_keys += ", s.device";
        same += " AND wk.device = s.device";
        joins += " LEFT JOIN raw.devices gd ON gd.id = s.device";
    }
    append(q.fields, kernel_fields(shape));
    // Sums of work are of the whole range, those of a part of its kernels are not asked for.
    const bool with_work = which == kAllKernels;
    if (with_work) {
        OPSIGHT_TRY(session.prepare_work());
        append(q.fields, work_fields("wk", false));
    }
    q.with = fmt::format(
        "WITH s AS (SELECT d.name AS kernel, d.op{0}, "
        "count(*) AS calls, sum(d.dur_ns)::BIGINT AS total, min(d.dur_ns) AS least, max(d.dur_ns) AS most, "
        "quantile_cont(d.dur_ns, [0.5, 0.95]) AS q, "
        "(sum(d.launch_dur_ns) FILTER (WHERE d.launch <> -1 AND (d.flags & 64) <> 0))::BIGINT AS api_total, "
        "count(*) FILTER (WHERE d.launch <> -1 AND (d.flags & 64) <> 0) AS api_calls, "
        "min(d.launch_dur_ns) FILTER (WHERE d.launch <> -1) AS api_least, "
        "max(d.launch_dur_ns) FILTER (WHERE d.launch <> -1) AS api_most, "
        "sum(c.occupancy_pct * d.dur_ns) FILTER (WHERE c.occupancy_pct >= 0) / "
        "nullif(sum(d.dur_ns) FILTER (WHERE c.occupancy_pct >= 0), 0) AS occupancy, "
        "sum(c.waves * d.dur_ns) FILTER (WHERE c.waves > 0) / nullif(sum(d.dur_ns) FILTER (WHERE c.waves > "
        "0), "
        "0) AS waves, 100.0 * sum((1 - c.waves / ceil(c.waves)) * d.dur_ns) FILTER (WHERE c.waves > 0) / "
        "nullif(sum(d.dur_ns) FILTER (WHERE c.waves > 0), 0) AS tail "
        "FROM {1} WHERE {2} GROUP BY ALL) ",
        keys, kernel_source(), which);
    q.source =
        "s JOIN raw.kernel_names k ON k.id = s.kernel LEFT JOIN raw.op_identities i ON i.id = s.op "
        "LEFT JOIN raw.layers l ON l.id = i.layer" +
        joins;
    if (with_work) {
        q.with +=
            fmt::format(", wk AS (SELECT s.kernel, s.op{}, {} FROM {} WHERE s.kernel >= 0 GROUP BY ALL) ",
                        work_keys, work_sums(), kWorkSource);
        q.source += " LEFT JOIN wk ON wk.kernel = s.kernel AND wk.op = s.op" + same;
    }
    q.order = {{"total_gpu_time_ns", true},
               {"kernel_name", false},
               {"long_kernel_name", false},
               {"op_name", false},
               {"op_id", false}};
    if (shape.by_rank) q.order.emplace_back("rank", false);
    if (shape.by_device) q.order.emplace_back("device", false);
    return ask(session, q, shape);
}

Result<Report> kernel_report(Session& session, const TableShape& shape) {
    OPSIGHT_ASSIGN(ResultTable table, kernel_sums(session, shape, kAllKernels));
    Report report{"kernel", table.title, {}, {}};
    if (!session.contents().device_work)
        report.notes.push_back("the profile has no kernels: nothing ran on a device");
    report.sections.push_back({std::move(table)});
    return report;
}

Result<Report> iteration_report(Session& session, const TableShape& shape) {
    Report report{"iteration", "Iterations", {}, {}};
    TableShape in_order;  // a table in the order of time, whatever the kernels below are sorted by
    in_order.for_people = shape.for_people;
    in_order.limit = shape.limit;
    OPSIGHT_ASSIGN(ResultTable list, iteration_list(session, in_order));
    if (session.range().total == 0) list.notes.push_back("no iterations were found");
    report.sections.push_back({std::move(list)});
    TableShape of_kernels = shape;
    if (shape.stream_last && shape.limit == 0) of_kernels.page.emplace().streamed = true;
    OPSIGHT_ASSIGN(ResultTable kernels, kernel_instances(session, of_kernels, kAllKernels));
    if (session.contents().device_work || !shape.for_people) report.sections.push_back({std::move(kernels)});
    return report;
}

}  // namespace opsight::query
