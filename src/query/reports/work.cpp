#include "query/reports/work.h"

#include <fmt/format.h>

#include "db/schema.h"

namespace opsight::query {
namespace {

// Of what a bound allows, from which on a limit counts as reached (metrics.md).
constexpr double kLimiting = 0.7;

constexpr const char* kOldFile =
    "the file was written before work was counted; import the trace again to see it";

std::string limiter(const std::string& s) {
    return fmt::format(
        "CASE WHEN {0}.bounded_ns > 0 THEN CASE WHEN {0}.math_ns > {1} * {0}.bounded_ns AND {0}.memory_ns > "
        "{1} * {0}.bounded_ns THEN 'math and memory' WHEN {0}.math_ns > {1} * {0}.bounded_ns THEN 'math' "
        "WHEN {0}.memory_ns > {1} * {0}.bounded_ns THEN 'memory' ELSE 'below its bound' END END",
        s, kLimiting);
}

// Why something can be faster than its bound: what the numbers bear out, in this order.
std::string explanation(const std::string& s) {
    return fmt::format(
        "CASE WHEN {0}.bound_ns > {0}.bounded_ns AND {0}.bounded_ns > 0 THEN 'faster than its bound: ' || "
        "CASE "
        "WHEN {0}.winograd THEN 'Winograd kernels multiply less than the formula' "
        "WHEN {0}.memory_ns > {0}.math_ns AND {0}.small AND coalesce({0}.inner_ns, 0) <= {0}.bounded_ns THEN "
        "'its data fits the last cache{1}, and the bound is that of the memory' "
        "WHEN {0}.memory_ns > {0}.math_ns AND greatest({0}.memory_ns - {0}.cached_ns, coalesce({0}.inner_ns, "
        "0)) <= {0}.bounded_ns THEN 'as much of its data as the last cache{1} holds need not have moved, "
        "which "
        "explains it' "
        "WHEN {0}.estimate THEN 'the bound is an estimate' "
        "WHEN {0}.math_ns > {0}.memory_ns AND {0}.math_ns < 1.2 * {0}.bounded_ns THEN 'clocks above those of "
        "the table' "
        "WHEN {0}.memory_ns > {0}.math_ns AND {0}.inner_ns > {0}.bounded_ns THEN 'faster than even the last "
        "cache{1} moves its data: a time or a size of the source may be wrong, or the kernels did less than "
        "the formula counts' "
        "ELSE 'nothing that is known explains it: a time or a size of the source may be wrong, or the "
        "kernels "
        "did less than the formula counts' END END",
        s,
        // " (L2, 7.2 TB/s)", within a text of the statement.
        fmt::format("' || coalesce(' (' || {0}.cache_name || ', ' || format('{{:.1f}}', {0}.cache_rate / "
                    "1e12) || ' TB/s)', '') || '",
                    s));
}

// "a; b", of what is there.
std::string remarks(const std::string& s) {
    return fmt::format("nullif(concat_ws('; ', {0}, nullif({1}.note, '')), '')", explanation(s), s);
}

Question rows_of(const TableShape& shape, std::string name, std::string title) {
    Question q{std::move(name), std::move(title)};
    if (shape.by_rank) q.fields.push_back({{"rank", "Rank", Unit::kCount, 0, Role::kId}, "gr.number"});
    if (shape.by_device)
        q.fields.push_back({{"device", "Device ID", Unit::kCount, 0, Role::kId}, "gd.number"});
    return q;
}

// Sums by `keys` (columns of `s` and of `more`, which is joined) and what the shape groups by.
void set_sums(Question& q, const TableShape& shape, const std::string& keys, const std::string& more) {
    std::string by = keys;
    if (shape.by_rank) by += ", s.rank";
    if (shape.by_device) by += ", s.device";
    q.with =
        fmt::format("WITH x AS (SELECT {}, {} FROM {} {} GROUP BY ALL) ", by, work_sums(), kWorkSource, more);
    q.source = "x";
    if (shape.by_rank) q.source += " LEFT JOIN raw.ranks gr ON gr.id = x.rank";
    if (shape.by_device) q.source += " LEFT JOIN raw.devices gd ON gd.id = x.device";
}

void append(std::vector<Field>& to, std::vector<Field> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Share of all time, and the bound as a rate.
void add_roofline_fields(Question& q) {
    q.fields.push_back({{"time_ns", "Time (ns)", Unit::kNs}, "x.time_ns"});
    q.fields.push_back({{"time_pct", "Time %", Unit::kPercent, 1},
                        "100.0 * x.time_ns / nullif((SELECT sum(time_ns) FROM x), 0)"});
    append(q.fields, work_fields("x", true));
    q.fields.push_back({{"ridge_side", "Side of Ridge", Unit::kNone, 2},
                        "CASE WHEN x.bound_ns > 0 THEN CASE WHEN x.math_ns > x.memory_ns THEN 'math' ELSE "
                        "'memory' END END"});
    q.fields.push_back({{"attainable_flops_per_s", "Attainable FLOP/s (1)", Unit::kFlops, 4},
                        "CASE WHEN x.bound_ns > 0 THEN 1e9 * x.bounded_flops / x.bound_ns END"});
    q.fields.push_back({{"remarks", "Remarks", Unit::kNone, 6}, remarks("x")});
}

// Peaks of units beside the memory's bandwidth, and levels between the two: their bandwidth, and where their
// slope meets the highest peak.
std::string ceilings_sql() {
    return fmt::format(
        "WITH tops AS (SELECT device, max(flops_per_s) AS peak FROM raw.device_peaks GROUP BY 1), "
        "ceilings AS (SELECT m.device, m.model, m.source, CASE WHEN k.device IS NULL THEN NULL WHEN k.matrix "
        "THEN 'matrix ' ELSE 'vector ' END || {} AS unit, k.flops_per_s, k.flops_per_s AS peak, "
        "nullif(m.bandwidth, 0) AS bytes_per_s, m.note AS said, m.sources AS known_from "
        "FROM raw.device_models m LEFT JOIN raw.device_peaks k ON k.device = m.device "
        "UNION ALL SELECT m.device, m.model, m.source, 'memory ' || l.name, NULL, t.peak, l.bandwidth, "
        "CASE WHEN l.estimate <> '' THEN 'estimate: ' || l.estimate END, l.source "
        "FROM raw.device_models m JOIN sel_levels l ON l.model = m.model LEFT JOIN tops t ON t.device = "
        "m.device "
        "UNION ALL SELECT m.device, m.model, m.source, 'memory L2', NULL, NULL, NULL, CASE WHEN m.model IN "
        "(SELECT model FROM sel_levels) THEN 'no source tells how much it moves' ELSE 'told only of devices "
        "in "
        "the device table' END, NULL FROM raw.device_models m WHERE m.device >= 0 AND m.source > 0 AND "
        "m.model "
        "NOT IN (SELECT model FROM sel_levels WHERE shared)) ",
        db::precision_text("k.precision"));
}

Result<ResultTable> ask_for_work(Session& session, const Question& q, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare_work());
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    OPSIGHT_ASSIGN(const bool counted, has_work(session));
    if (!counted) table.notes.emplace_back(kOldFile);
    return table;
}

// Whether a table of one row has a value there.
bool tells(const ResultTable& table, std::string_view key) {
    for (size_t i = 0; i < table.columns.size() && !table.rows.empty(); ++i)
        if (table.columns[i].key == key) return !std::holds_alternative<std::monostate>(table.rows[0][i]);
    return false;
}

}  // namespace

// Rounded, since the last digits of a sum of fractions depend on the order of its terms: the same range must
// give the same numbers, however it was asked for.
std::string work_sums() {
    constexpr std::string_view bounded = "FILTER (WHERE w.bound_ns >= 0)";
    return fmt::format(
        "sum(s.spans)::BIGINT AS spans, sum(s.time_ns)::BIGINT AS time_ns, "
        "(sum(s.time_ns) FILTER (WHERE s.work >= 0))::BIGINT AS work_ns, "
        "round(sum(s.share * w.flops)) AS flops, round(sum(s.share * w.macs)) AS macs, "
        "round(sum(s.share * w.matrix_flops)) AS matrix_flops, "
        "round(sum(s.share * w.recomputed_flops)) AS recomputed_flops, "
        "round(sum(s.share * w.bytes_min)) AS bytes, (sum(s.time_ns) {0})::BIGINT AS bounded_ns, "
        "round(sum(s.share * w.flops) {0}) AS bounded_flops, "
        "round(sum(s.share * w.math_ns) {0}, 3) AS math_ns, "
        "round(sum(s.share * w.memory_ns) {0}, 3) AS memory_ns, "
        "round(sum(s.share * w.bound_ns) {0}, 3) AS bound_ns, "
        // What the last cache can hold of it. A copy has a share for each of its bytes.
        "round(sum(CASE WHEN w.kind = 3 AND w.bytes_min <= 2 THEN least(s.share * w.bytes_min, s.spans * "
        "m.l2_bytes) ELSE s.share * least(w.bytes_min, m.l2_bytes) END * 1e9 / nullif(m.bandwidth, 0)) {0}, "
        "3) "
        "AS cached_ns, "
        // What the last cache needs to move all of it; null where that is not known of every device.
        "CASE WHEN bool_and(c.bandwidth IS NOT NULL) {0} THEN round(sum(s.share * w.memory_ns * m.bandwidth "
        "/ "
        "c.bandwidth) {0}, 3) END AS inner_ns, "
        "max(c.name) {0} AS cache_name, min(c.bandwidth) {0} AS cache_rate, "
        "coalesce(bool_or(w.estimate), false) AS estimate, "
        "string_agg(DISTINCT nullif(w.note, ''), '; ' ORDER BY nullif(w.note, '')) AS note, "
        "coalesce(bool_and(w.bytes_min <= m.l2_bytes) FILTER (WHERE w.kind IN (1, 2) OR w.bytes_min > 2), "
        "false) AS small, "
        "coalesce(bool_or(s.kernel IN (SELECT id FROM raw.kernel_names WHERE name ILIKE '%winograd%')), "
        "false) AS winograd",
        bounded);
}

std::vector<Field> work_fields(const std::string& s, bool first) {
    const int more = first ? 0 : 7;
    const auto per_second = [&s](const char* amount) {
        return fmt::format("CASE WHEN {0}.work_ns > 0 THEN 1e9 * {0}.{1} / {0}.work_ns END", s, amount);
    };
    return {
        {{"flops", "FLOPs (1)", Unit::kFlops, 1 + more}, s + ".flops"},
        {{"bytes_min", "Bytes (B)", Unit::kBytes, 2 + more}, s + ".bytes"},
        {{"work_time_ns", "Time With Counted Work (ns)", Unit::kNs, 5 + more}, s + ".work_ns"},
        {{"flops_per_s", "FLOP/s (1)", Unit::kFlops, 1 + more}, per_second("flops")},
        {{"bytes_per_s", "Bytes/s (B)", Unit::kBytes, 2 + more}, per_second("bytes")},
        {{"intensity", "FLOP/B", Unit::kNone, 2 + more},
         fmt::format("CASE WHEN {0}.bytes > 0 THEN {0}.flops / {0}.bytes END", s)},
        {{"bound_ns", "Bound (ns)", Unit::kNs, 1 + more}, s + ".bound_ns"},
        {{"efficiency_pct", "Efficiency (%)", Unit::kPercent, more},
         fmt::format("CASE WHEN {0}.bounded_ns > 0 THEN 100.0 * {0}.bound_ns / {0}.bounded_ns END", s)},
        {{"limiter", "Limiter", Unit::kNone, more}, limiter(s)},
        {{"work_estimate", "Work Is Estimate", Unit::kNone, 8 + more},
         fmt::format("CASE WHEN {0}.work_ns IS NOT NULL THEN {0}.estimate END", s)},
    };
}

Result<bool> has_work(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query("SELECT EXISTS (FROM raw.work_stats) OR NOT EXISTS (FROM raw.op_stats)"));
    return std::get<bool>(rows.rows.at(0)[0]);
}

namespace {

// Shares of the peak, and whether they are lower bounds: for people in one text.
void add_use(Question& q, bool for_people) {
    const std::string at_least = "coalesce(c.counted_ns, 0) < 0.9995 * c.time_ns";
    const auto use = [&](const char* key, const char* head, const char* flops) {
        const std::string pct = fmt::format("1e11 * ({}) / nullif(k.possible, 0)", flops);
        if (for_people)
            q.fields.push_back(
                {{key, head},
                 fmt::format("CASE WHEN {1} THEN 'at least ' ELSE '' END || format('{{:.1f}}%', {0}) "
                             "|| CASE WHEN {1} THEN format(' (by {{:.1f}}% of the kernel time)', 100.0 * "
                             "coalesce(c.counted_ns, 0) / c.time_ns) ELSE '' END",
                             pct, at_least)});
        else
            q.fields.push_back({{key, head, Unit::kPercent}, pct});
    };
    use("mfu_pct", "MFU %", "x.matrix_flops - x.recomputed_flops");
    use("hfu_pct", "HFU %", "x.matrix_flops");
    if (!for_people)
        q.fields.push_back({{"mfu_at_least", "MFU Is at Least"}, "k.possible > 0 AND " + at_least});
}

// x: sums of the work; p: the format in which most of the products ran; c: of computing kernels; k: the peak.
std::string work_sources(bool device_work) {
    return fmt::format(
        "WITH x AS (SELECT {0} FROM {1}), "
        "p AS (SELECT max_by(precision, flops) AS precision FROM (SELECT w.precision, sum(s.share * "
        "w.matrix_flops) AS flops FROM {1} GROUP BY 1 HAVING sum(s.share * w.matrix_flops) > 0)), "
        // Of computing alone: copies and sets have a bound that says nothing of the kernels. On a processor
        // all.
        "c AS (SELECT sum(s.time_ns)::BIGINT AS time_ns, (sum(s.time_ns) FILTER (WHERE s.work >= 0))::BIGINT "
        "AS "
        "counted_ns, (sum(s.time_ns) FILTER (WHERE w.bound_ns >= 0))::BIGINT AS bounded_ns, "
        "round(sum(s.share * "
        "w.bound_ns) FILTER (WHERE w.bound_ns >= 0), 3) AS bound_ns FROM {1} LEFT JOIN raw.kernel_names kn "
        "ON "
        "kn.id = s.kernel WHERE {2} OR kn.class = 0), "
        // Where nothing ran on a device: the processor.
        "used AS (SELECT id, wall_ns FROM used_devices WHERE worked UNION ALL SELECT -1, max(wall_ns) FROM "
        "sel_wall_sums WHERE {2}), "
        "d AS (SELECT u.id, u.wall_ns, coalesce("
        "max(k.flops_per_s) FILTER (WHERE k.precision = p.precision), "
        "max(k.flops_per_s) FILTER (WHERE NOT k.matrix AND k.precision = 1)) AS peak "
        "FROM used u CROSS JOIN p LEFT JOIN raw.device_peaks k ON k.device = u.id "
        "WHERE u.wall_ns IS NOT NULL AND p.precision IS NOT NULL GROUP BY ALL), "
        // A device whose peak is not known makes the sum unknown.
        "k AS (SELECT CASE WHEN count(peak) = count(*) THEN sum(peak) END AS peak, "
        "CASE WHEN count(peak) = count(*) THEN round(sum(peak * wall_ns)) END AS possible FROM d) ",
        work_sums(), kWorkSource, device_work ? "false" : "true");
}

}  // namespace

Result<ResultTable> work_summary(Session& session, bool for_people) {
    OPSIGHT_TRY(session.prepare_work());
    Question q{"work", "Counted Work"};
    // Copies and sets are counted without FLOPs: where nothing else is, the FLOPs are not known.
    const auto where_counted = [](const char* flops) {
        return fmt::format("CASE WHEN c.counted_ns > 0 THEN {} END", flops);
    };
    q.fields = {
        {{"counted_pct", "Time With Counted Work %", Unit::kPercent},
         "100.0 * x.work_ns / nullif(x.time_ns, 0)"},
        {{"bounded_pct", "Time With a Known Bound %", Unit::kPercent},
         "100.0 * x.bounded_ns / nullif(x.time_ns, 0)"},
        {{"kernel_counted_pct", "Kernel Time With Counted Work %", Unit::kPercent},
         "CASE WHEN x.work_ns > 0 THEN 100.0 * coalesce(c.counted_ns, 0) / nullif(c.time_ns, 0) END",
         true},
        {{"flops", "FLOPs (1)", Unit::kFlops}, where_counted("x.flops")},
        {{"bytes_min", "Bytes at Least (B)", Unit::kBytes}, "x.bytes"},
        {{"efficiency_pct", "Efficiency of Kernels (%)", Unit::kPercent},
         "CASE WHEN c.bounded_ns > 0 THEN 100.0 * c.bound_ns / c.bounded_ns END"},
        {{"product_flops", "FLOPs of Products (1)", Unit::kFlops}, where_counted("x.matrix_flops")},
        {{"recomputed_flops", "FLOPs Computed Again (1)", Unit::kFlops}, where_counted("x.recomputed_flops")},
        {{"peak_precision", "Peak Taken"}, db::precision_text("p.precision")},
        {{"peak_flops_per_s", "Peak of the Devices Used (1)", Unit::kFlops}, "k.peak"},
    };
    add_use(q, for_people);
    q.with = work_sources(session.contents().device_work);
    q.source = "x, p, k, c";
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, {}));
    OPSIGHT_ASSIGN(const bool counted, has_work(session));
    if (!counted) {
        table.notes.emplace_back(kOldFile);
    } else if (tells(table, "mfu_pct")) {
        table.notes.emplace_back(
            "MFU = (FLOPs of products - those computed again) / (wall clock x peak of the devices used); HFU "
            "takes those computed again in");
    }
    return table;
}

Result<ResultTable> roofline_ops(Session& session, const TableShape& shape) {
    Question q = rows_of(shape, "roofline", "Roofline by Op");
    append(q.fields,
           {{{"op_id", "Op ID", Unit::kCount, 8, Role::kId}, "x.op"},
            {{"op_name", "Op Name"}, "i.name"},
            {{"direction", "Direction", Unit::kNone, 3}, db::direction_text("i.direction")},
            {{"layer", "Layer", Unit::kNone, 3}, "l.path"},
            {{"shapes", "Input Shapes", Unit::kNone, 3, Role::kShapes}, shapes_sql("i.shapes", shape)},
            {{"precision", "Format", Unit::kNone, 5}, db::precision_text("x.precision")},
            {{"spans", "Spans", Unit::kCount, 5}, "x.spans"}});
    add_roofline_fields(q);
    set_sums(q, shape, "s.op, max(w.precision) AS precision", "");
    q.source += " JOIN raw.op_identities i ON i.id = x.op LEFT JOIN raw.layers l ON l.id = i.layer";
    q.order = {{"time_ns", true}, {"op_name", false}, {"op_id", false}};
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_shapes(Session& session, const TableShape& shape) {
    Question q = rows_of(shape, "roofline_shapes", "Roofline by Op and Shapes");
    append(q.fields,
           {{{"op_name", "Op Name"}, "x.name"},
            {{"direction", "Direction", Unit::kNone, 3}, db::direction_text("x.direction")},
            {{"shapes", "Input Shapes", Unit::kNone, 0, Role::kShapes}, shapes_sql("x.shapes", shape)},
            {{"precision", "Format", Unit::kNone, 5}, db::precision_text("x.precision")},
            {{"layers", "Layers", Unit::kCount, 5}, "x.layers"},
            {{"spans", "Spans", Unit::kCount, 5}, "x.spans"}});
    add_roofline_fields(q);
    set_sums(
        q, shape,
        "i.name, i.direction, i.shapes, max(w.precision) AS precision, count(DISTINCT i.layer) AS layers",
        "JOIN raw.op_identities i ON i.id = s.op");
    q.order = {{"time_ns", true}, {"op_name", false}, {"shapes", false}, {"direction", false}};
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_layers(Session& session, const TableShape& shape) {
    Question q = rows_of(shape, "roofline_layers", "Roofline by Layer");
    append(q.fields, {{{"layer", "Layer"}, "coalesce(l.path, '(no layer)')"},
                      {{"direction", "Direction", Unit::kNone, 1}, db::direction_text("x.direction")},
                      {{"spans", "Spans", Unit::kCount, 5}, "x.spans"}});
    add_roofline_fields(q);
    set_sums(q, shape, "i.layer, i.direction", "JOIN raw.op_identities i ON i.id = s.op");
    q.source += " LEFT JOIN raw.layers l ON l.id = x.layer";
    q.order = {{"time_ns", true}, {"layer", false}, {"direction", false}};
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_kernels(Session& session, const TableShape& shape) {
    Question q = rows_of(shape, "roofline_kernels", "Roofline by Kernel");
    append(q.fields, {{{"kernel_name", "Kernel Name"}, "k.label", true},
                      {{"uses_tc", "Uses TC", Unit::kNone, 3}, db::tensor_core_use_text("k.uses_tc"), true},
                      {{"spans", "Kernels", Unit::kCount, 4}, "x.spans"}});
    add_roofline_fields(q);
    q.fields.push_back({{"long_kernel_name", "Long Kernel Name", Unit::kNone, 10}, "k.name", true});
    set_sums(q, shape, "s.kernel", "WHERE s.kernel >= 0");
    q.source += " JOIN raw.kernel_names k ON k.id = x.kernel";
    q.order = {{"time_ns", true}, {"kernel_name", false}, {"long_kernel_name", false}};
    return ask_for_work(session, q, shape);
}

Result<ResultTable> roofline_ceilings(Session& session, const TableShape& shape) {
    Question q{"roofline_ceilings", "Ceilings"};
    q.fields = {
        {{"rank", "Rank", Unit::kCount, 4, Role::kId}, "r.number"},
        {{"device", "Device ID", Unit::kCount, 2, Role::kId}, "d.number"},
        {{"name", "Device"}, "CASE WHEN m.device = -1 THEN m.model ELSE nullif(d.name, '') END"},
        {{"source", "Known By", Unit::kNone, 2},
         "CASE m.source WHEN 1 THEN 'device table' WHEN 2 THEN 'derived' ELSE 'not known' END"},
        {{"unit", "Unit"}, "m.unit"},
        {{"flops_per_s", "FLOP/s (1)", Unit::kFlops}, "m.flops_per_s"},
        {{"bytes_per_s", "Bytes/s (B)", Unit::kBytes}, "m.bytes_per_s"},
        {{"ridge", "Ridge (FLOP/B)", Unit::kNone, 3}, "m.peak / m.bytes_per_s"},
        {{"model", "Model", Unit::kNone, 3}, "m.model"},
        {{"note", "Note", Unit::kNone, 5}, "nullif(m.said, '')"},
        {{"sources", "Source", Unit::kNone, 6}, "nullif(m.known_from, '')"},
    };
    q.with = ceilings_sql();
    q.source =
        "ceilings m LEFT JOIN raw.devices d ON d.id = m.device LEFT JOIN raw.ranks r ON r.id = d.rank "
        "WHERE m.device IN (SELECT device FROM raw.work_stats)";
    q.order = {{"rank", false}, {"device", false}, {"flops_per_s", true}, {"unit", false}};
    return ask_for_work(session, q, shape);
}

Result<ResultTable> uncounted_work(Session& session, const TableShape& shape) {
    Question q{"uncounted", "Not Counted"};
    q.fields = {
        {{"op_type", "Op Type"}, "x.type"},
        {{"time_ns", "Time (ns)", Unit::kNs}, "x.time_ns"},
        {{"time_pct", "Time %", Unit::kPercent}, "100.0 * x.time_ns / nullif(a.time_ns, 0)"},
        {{"spans", "Spans", Unit::kCount, 1}, "x.spans"},
        {{"why", "Why", Unit::kNone, 2},
         "CASE WHEN x.type IN ('unassociated', 'unattributed') THEN 'no op is known around the launch' "
         "WHEN x.type = 'annotation' THEN 'launched in an annotation outside of all ops' "
         "WHEN NOT x.told THEN 'the source tells no shapes of its inputs' "
         "WHEN contains(x.type, 'unified_attention') OR contains(x.type, 'paged_attention') THEN "
         "'how much of the cache each sequence has is not told' "
         "ELSE 'no formula, or its inputs do not tell' END"}};
    q.with =
        "WITH x AS (SELECT i.type, sum(s.time_ns)::BIGINT AS time_ns, sum(s.spans)::BIGINT AS spans, "
        "bool_or(i.shapes <> '') AS told FROM sel_work s JOIN raw.op_identities i ON i.id = s.op "
        "WHERE s.work < 0 GROUP BY 1), a AS (SELECT sum(time_ns) AS time_ns FROM sel_work) ";
    q.source = "x, a WHERE x.time_ns > 0";
    q.order = {{"time_ns", true}, {"op_type", false}};
    return ask_for_work(session, q, shape);
}

}  // namespace opsight::query
