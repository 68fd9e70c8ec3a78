#include "query/session/range_sums.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "query/session/range_projection.h"

namespace opsight::query {
namespace {

// What SQL cannot tell: own time, from the stack of each thread, and the work on devices.
struct Beyond {
    int64_t self = -1, gpu = 0, ops = 0;  // self -1: does not apply
};
using BeyondByKind = absl::flat_hash_map<std::pair<int32_t, uint8_t>, Beyond>;  // label and style

Result<BeyondByKind> look_beyond(duck::Connection& connection, bool device_work) {
    OPSIGHT_ASSIGN(const Ranges ranges, load_ranges(connection, true));
    const Nesting nesting = nesting_of(ranges);
    const std::vector<int64_t> in_children = time_in_children(ranges, nesting);
    BeyondByKind found;
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        Beyond& kind = found[{ranges.label[i], ranges.style[i]}];
        if (ranges.style[i] != 0) continue;
        kind.self = std::max<int64_t>(kind.self, 0) + ranges.end[i] - ranges.begin[i] - in_children[i];
    }
    if (!device_work) return found;
    OPSIGHT_ASSIGN(const Launches launches, load_launches(connection, false));
    for (const Projected& p : project(ranges, launches)) {
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
    OPSIGHT_TRY(make_range_views(connection, Instead::kAnnotations));
    OPSIGHT_TRY(session.execute(work_views_sql("") + "CREATE TEMP VIEW st_range AS " +
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

}  // namespace opsight::query
