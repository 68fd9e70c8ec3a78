#include "query/range_sums.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "query/stats_projection.h"

namespace opsight {
namespace {

// What SQL cannot tell: own time, from the stack of each thread, and the work on devices.
struct Beyond {
    int64_t self = -1, gpu = 0, ops = 0;  // self -1: does not apply
};
using BeyondByKind = absl::flat_hash_map<std::pair<int32_t, uint8_t>, Beyond>;  // label and style

Result<BeyondByKind> look_beyond(duck::Connection& connection, bool device_work) {
    OPSIGHT_ASSIGN(const stats::Ranges ranges, stats::load_ranges(connection, true));
    const stats::Nesting nesting = stats::nesting_of(ranges);
    const std::vector<int64_t> in_children = stats::time_in_children(ranges, nesting);
    BeyondByKind found;
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        Beyond& kind = found[{ranges.label[i], ranges.style[i]}];
        if (ranges.style[i] != 0) continue;
        kind.self = std::max<int64_t>(kind.self, 0) + ranges.end[i] - ranges.begin[i] - in_children[i];
    }
    if (!device_work) return found;
    OPSIGHT_ASSIGN(const stats::Launches launches, stats::load_launches(connection, false));
    for (const stats::Projected& p : stats::project(ranges, launches)) {
        Beyond& kind = found[{ranges.label[p.range], ranges.style[p.range]}];
        kind.gpu += p.end - p.begin;
        kind.ops += p.work;
    }
    return found;
}

Status keep_beyond(Session& session, const BeyondByKind& found) {
    using enum duck::Type;
    OPSIGHT_TRY(
        session.execute("CREATE TEMP TABLE range_beyond (label INTEGER, style INTEGER, self_ns BIGINT, "
                        "gpu_ns BIGINT, gpu_ops "
                        "BIGINT)"));
    OPSIGHT_ASSIGN(duck::Appender appender,
                   session.append_to("range_beyond", {kInteger, kInteger, kBigint, kBigint, kBigint}));
    size_t filled = 0;
    for (const auto& [key, kind] : found) {
        appender.column<int32_t>(0)[filled] = key.first;
        appender.column<int32_t>(1)[filled] = key.second;
        appender.column<int64_t>(2)[filled] = kind.self;
        appender.column<int64_t>(3)[filled] = kind.gpu;
        appender.column<int64_t>(4)[filled] = kind.ops;
        if (++filled < duck::Appender::kBatch) continue;
        OPSIGHT_TRY(appender.add(filled));
        filled = 0;
    }
    if (filled > 0) OPSIGHT_TRY(appender.add(filled));
    return appender.close();
}

// Ranges that begin in a chosen iteration; of a profile without iterations all.
std::string chosen_ranges(const Range& range) {
    if (range.whole) return "FROM all_ranges";
    return "SELECT r.* FROM all_ranges r JOIN raw.tracks t ON t.id = r.track ASOF JOIN sel_iterations i "
           "ON i.rank = t.rank AND r.begin_ns >= i.begin_ns WHERE r.begin_ns < i.end_ns";
}

// The table of sums over st_range; range_names tells which labels count as one, as what. Made once.
std::string range_table_sql(std::string_view table) {
    return fmt::format(
        "CREATE TEMP TABLE IF NOT EXISTS {} AS WITH s AS (SELECT n.first AS label, style, count(*) AS calls, "
        "sum(dur_ns)::BIGINT AS total_ns, round(avg(dur_ns))::BIGINT AS avg_ns, "
        "round(quantile_cont(dur_ns, 0.5))::BIGINT AS median_ns, "
        "round(quantile_cont(dur_ns, 0.95))::BIGINT AS p95_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns, "
        "round(stddev_samp(dur_ns))::BIGINT AS stddev_ns, count(DISTINCT track) AS threads "
        "FROM st_range r JOIN range_names n ON n.id = r.label GROUP BY ALL), "
        "b AS (SELECT n.first AS label, style, sum(self_ns) FILTER (WHERE self_ns >= 0)::BIGINT AS self_ns, "
        "sum(gpu_ns)::BIGINT AS gpu_ns, sum(gpu_ops)::BIGINT AS gpu_ops FROM range_beyond "
        "JOIN range_names n ON n.id = label GROUP BY ALL) "
        "SELECT s.*, b.self_ns, CASE WHEN b.gpu_ops > 0 THEN b.gpu_ns END AS gpu_ns, "
        "nullif(b.gpu_ops, 0) AS gpu_ops, l.domain, l.name FROM s JOIN b USING (label, style) "
        "JOIN range_names l ON l.id = s.label",
        table);
}

}  // namespace

Status sum_ranges(Session& session, duck::Connection& connection) {
    OPSIGHT_TRY(stats::make_range_views(connection, stats::Instead::kAnnotations));
    OPSIGHT_TRY(session.execute(stats::work_views_sql("") + "CREATE TEMP VIEW st_range AS " +
                                chosen_ranges(session.range())));
    OPSIGHT_ASSIGN(const BeyondByKind beyond, look_beyond(connection, session.contents().device_work));
    OPSIGHT_TRY(keep_beyond(session, beyond));
    return session.execute(
        "CREATE TEMP TABLE range_names AS SELECT id, domain, name, id AS first FROM st_labels;" +
        range_table_sql("sel_ranges"));
}

Status merge_ranges(Session& session) {
    return session.execute(
        "CREATE OR REPLACE TEMP TABLE range_names AS WITH n AS (SELECT id, domain, name, "
        "regexp_replace(name, '[0-9]+', '#', 'g') AS stem FROM st_labels), "
        "g AS (SELECT domain, stem, coalesce(min(id) FILTER (WHERE id IN (SELECT label FROM st_range)), "
        "min(id)) AS first, count(*) AS names FROM n GROUP BY ALL) "
        "SELECT n.id, n.domain, CASE WHEN g.names > 1 THEN g.stem ELSE n.name END AS name, g.first "
        "FROM n JOIN g ON g.domain = n.domain AND g.stem = n.stem;" +
        range_table_sql("merged_ranges"));
}

Result<ResultTable> range_list(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare_ranges());
    if (shape.merge_numbers) OPSIGHT_TRY(merge_ranges(session));
    const std::string sums = shape.merge_numbers ? "merged_ranges" : "sel_ranges";
    Question q{"ranges", "Ranges"};
    const auto time = [&q](const char* key, const char* head, const char* column, int priority,
                           bool device = false) {
        q.fields.push_back({{key, head, Unit::kNs, priority}, column, device});
    };
    q.fields = {
        {{"range_id", "Range ID", Unit::kCount, 12}, "s.label::BIGINT * 2 + s.style"},
        {{"range", "Range"}, "s.name"},
        {{"domain", "Domain", Unit::kNone, 5}, "nullif(s.domain, '')"},
        {{"style", "Style", Unit::kNone, 8}, "CASE s.style WHEN 0 THEN 'push/pop' ELSE 'start/end' END"},
        {{"calls", "No. Calls", Unit::kCount}, "s.calls"}};
    time("self_time_ns", "Self Time (ns)", "s.self_ns", 0);
    q.fields.push_back({{"self_share_pct", "Self Time (%)", Unit::kPercent, 4},
                        fmt::format("100.0 * s.self_ns / nullif((SELECT sum(self_ns) FROM {}), 0)", sums)});
    time("total_time_ns", "Total Time (ns)", "s.total_ns", 0);
    time("avg_time_ns", "Avg (ns)", "s.avg_ns", 1);
    time("median_time_ns", "Median (ns)", "s.median_ns", 3);
    time("p95_time_ns", "P95 (ns)", "s.p95_ns", 2);
    time("min_time_ns", "Min (ns)", "s.min_ns", 6);
    time("max_time_ns", "Max (ns)", "s.max_ns", 6);
    time("stddev_time_ns", "Standard Deviation (ns)", "s.stddev_ns", 9);
    q.fields.push_back({{"threads", "Threads", Unit::kCount, 7}, "s.threads"});
    time("projected_gpu_time_ns", "Projected GPU Time (ns)", "s.gpu_ns", 1, true);
    q.fields.push_back({{"gpu_ops", "GPU Ops", Unit::kCount, 5}, "s.gpu_ops", true});
    q.source = sums + " s";
    q.order = {{"self_time_ns", true}, {"total_time_ns", true}, {"range", false}, {"range_id", false}};
    return ask(session, q, shape);
}

Result<Report> range_report(Session& session, const TableShape& shape) {
    Report report{"ranges", "Ranges", {}, {}};
    OPSIGHT_ASSIGN(ResultTable table, range_list(session, shape));
    if (table.rows.empty() && !table.stream && !session.contents().ranges)
        report.notes.push_back(
            "the profile has no named ranges: NVTX calls around the parts of a program make them "
            "(docs/COLLECTING.md)");
    report.sections.push_back({std::move(table)});
    return report;
}

}  // namespace opsight
