#include "query/session/wall_clock.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

constexpr const char* kSums =
    "CREATE TEMP VIEW sel_wall_sums AS SELECT rank, sum(end_ns - begin_ns)::BIGINT AS wall_ns FROM sel_wall "
    "GROUP BY rank";

}  // namespace

Stretches stretches_of(const Range& range) {
    Stretches stretches;
    int64_t first = range.start;
    for (const int64_t number : range.left_out) {
        if (number > first) stretches.emplace_back(first, number - 1);
        first = number + 1;
    }
    stretches.emplace_back(first, range.stop);
    return stretches;
}

// Of each stretch of iterations: from the begin of its first iteration on, whatever the program does there,
// to the end of its last one and of all that this ran and launched, but no farther than to where the next
// stretch begins.
Status Session::measure_wall() {
    std::string stretches, lasts, lasts_launched;
    for (const auto& [first, last] : stretches_of(range_)) {
        stretches += fmt::format("{}({}, {})", stretches.empty() ? "" : ", ", first, last);
        const char* or_else = lasts.empty() ? "" : " OR ";
        lasts += or_else + rows_of(last, "begin_ns");
        lasts_launched += or_else + rows_of(last, "host_ns");
    }
    return execute(fmt::format(
        "CREATE TEMP TABLE sel_wall AS WITH "
        "ends AS (SELECT track, iteration AS number, begin_ns + dur_ns AS end_ns FROM sel_ops WHERE {0} "
        "UNION ALL SELECT track, iteration, begin_ns + dur_ns FROM sel_api WHERE {0} "
        "UNION ALL SELECT track, iteration, begin_ns + dur_ns FROM sel_device WHERE (kind < 3 OR kind = 6) "
        "AND "
        "({1})), "
        "e AS (SELECT t.rank, number, max(end_ns) AS end_ns FROM ends JOIN raw.tracks t ON t.id = track "
        "GROUP BY ALL), "
        "x AS (FROM (VALUES {2}) v(first, last)), "
        "i AS (SELECT rank, last, min(begin_ns) AS begin_ns, max(end_ns) AS end_ns FROM sel_iterations "
        "JOIN x ON number BETWEEN first AND last GROUP BY ALL), "
        "w AS (SELECT i.rank, i.begin_ns, greatest(i.end_ns, coalesce(e.end_ns, i.end_ns)) AS end_ns FROM i "
        "LEFT JOIN e ON e.rank = i.rank AND e.number = i.last) "
        "SELECT rank, begin_ns, least(end_ns, coalesce(lead(begin_ns) OVER (PARTITION BY rank ORDER BY "
        "begin_ns), end_ns)) AS end_ns FROM w;{3}",
        lasts, lasts_launched, stretches, kSums));
}

// From the first to the last thing that the program is seen to do. What the system or a library does for it
// is no sign of its own (a thread may sleep in poll for the whole run), unless there is nothing else.
Status Session::measure_whole() {
    std::string spans = "SELECT track, begin_ns, dur_ns FROM raw.device_spans WHERE kind < 3 OR kind = 6";
    for (const char* table : {"ops", "api_calls", "annotations", "module_calls", "python_frames"})
        spans += fmt::format(" UNION ALL SELECT track, begin_ns, dur_ns FROM raw.{}", table);
    return execute(fmt::format(
        "CREATE TEMP TABLE sel_wall AS WITH "
        "own AS (SELECT t.rank, min(begin_ns) AS begin_ns, max(begin_ns + dur_ns) AS end_ns FROM ({}) s JOIN "
        "raw.tracks t ON t.id = s.track GROUP BY 1), "
        "others AS (SELECT t.rank, min(begin_ns) AS begin_ns, max(begin_ns + dur_ns) AS end_ns FROM "
        "raw.other_spans s JOIN raw.tracks t ON t.id = s.track WHERE t.kind = 0 GROUP BY 1) "
        "FROM own UNION ALL FROM others WHERE rank NOT IN (SELECT rank FROM own);{}",
        spans, kSums));
}

Result<std::vector<WallStretch>> wall_stretches(Session& session) {
    std::vector<WallStretch> stretches;
    if (session.range().whole) return stretches;
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query("SELECT r.number, w.begin_ns, w.end_ns FROM sel_wall w JOIN raw.ranks r ON "
                                 "r.id = w.rank ORDER BY ALL"));
    for (const auto& row : rows.rows)
        stretches.push_back(
            {std::get<int64_t>(row[0]), std::get<int64_t>(row[1]), std::get<int64_t>(row[2])});
    return stretches;
}

std::string iteration_times_sql(bool whole) {
    // Until the next one begins; the last until all that it launched has ended.
    std::string sql =
        "CREATE TEMP VIEW all_iteration_times AS WITH n AS (SELECT *, lead(begin_ns) OVER (PARTITION BY rank "
        "ORDER BY begin_ns) AS next FROM all_iterations), l AS (SELECT n.rank, max(d.begin_ns + d.dur_ns) AS "
        "end_ns FROM n JOIN raw.tracks t ON t.rank = n.rank JOIN raw.device_spans d ON d.track = t.id AND "
        "d.host_ns >= n.begin_ns AND d.host_ns < n.end_ns WHERE n.next IS NULL AND (d.kind < 3 OR d.kind = "
        "6) "
        "GROUP BY 1) SELECT n.* EXCLUDE (next) REPLACE (coalesce(n.next, greatest(n.end_ns, l.end_ns)) AS "
        "end_ns), n.end_ns AS own_end_ns FROM n LEFT JOIN l ON l.rank = n.rank;";
    // The stretch of a whole run is longer than its iterations.
    if (whole) return sql + "CREATE TEMP VIEW sel_iteration_times AS FROM all_iteration_times";
    return sql +
           "CREATE TEMP VIEW sel_iteration_times AS SELECT i.* REPLACE (least(w.end_ns, coalesce("
           "lead(i.begin_ns) OVER (PARTITION BY i.rank ORDER BY i.begin_ns), w.end_ns)) AS end_ns), i.end_ns "
           "AS "
           "own_end_ns FROM sel_iterations i ASOF JOIN sel_wall w ON w.rank = i.rank AND w.begin_ns <= "
           "i.begin_ns";
}

}  // namespace opsight::query
