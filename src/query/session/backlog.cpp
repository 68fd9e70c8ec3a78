#include "query/session/backlog.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

constexpr double kWorthSaying = 0.05;  // share of the wall clock

// Of each rank: from the begin of its wall clock to the last end of what was launched before, or before the
// recording began, and ran before the range's own first work.
constexpr const char* kBacklog =
    "WITH w AS (SELECT rank, min(begin_ns) AS begin_ns, sum(end_ns - begin_ns)::BIGINT AS wall_ns FROM "
    "sel_wall GROUP BY rank), "
    "x AS (SELECT t.rank, min(d.begin_ns) AS first_ns FROM sel_device d JOIN raw.tracks t ON t.id = d.track "
    "WHERE d.kind < 3 AND d.launch <> -1 GROUP BY t.rank) "
    "SELECT w.rank, (max(d.begin_ns + d.dur_ns) - w.begin_ns)::BIGINT AS ns, w.wall_ns "
    "FROM raw.device_spans d JOIN raw.tracks t ON t.id = d.track JOIN w ON w.rank = t.rank "
    "JOIN x ON x.rank = t.rank WHERE d.kind < 3 AND d.begin_ns + d.dur_ns > w.begin_ns AND "
    "d.begin_ns < x.first_ns AND (d.launch = -1 OR d.host_ns < w.begin_ns) "
    "GROUP BY w.rank, w.begin_ns, w.wall_ns ORDER BY ns DESC, w.rank LIMIT 1";

// From the first kernel of an iteration to the first of the next, of those that follow each other.
constexpr const char* kPeriod =
    "WITH f AS (SELECT d.iteration AS number, min(d.begin_ns) AS begin_ns FROM sel_device d "
    "JOIN raw.tracks t ON t.id = d.track WHERE d.kind = 0 AND t.rank = {} GROUP BY 1), "
    "n AS (SELECT number - lag(number) OVER o AS step, begin_ns - lag(begin_ns) OVER o AS ns FROM f "
    "WINDOW o AS (ORDER BY number)) SELECT round(avg(ns))::BIGINT FROM n WHERE step = 1";

}  // namespace

Result<std::string> backlog_of_range(Session& session) {
    if (session.range().whole || !session.contents().device_work) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(kBacklog));
    if (rows.rows.empty()) return std::string();
    const auto number = [&rows](size_t i) { return std::get<int64_t>(rows.rows[0][i]); };
    const int64_t rank = number(0), backlog = number(1), wall = number(2);
    if (static_cast<double>(backlog) < kWorthSaying * static_cast<double>(wall)) return std::string();
    std::string text = fmt::format(
        "when the range begins the device is still at work for {:.3f} ms on what was launched before; the "
        "wall "
        "clock and the average iteration time hold this wait",
        static_cast<double>(backlog) / 1e6);
    OPSIGHT_ASSIGN(const duck::Rows period, session.query(fmt::format(kPeriod, rank)));
    if (const auto* ns = std::get_if<int64_t>(&period.rows.at(0)[0]))
        text += fmt::format("; on the device an iteration begins every {:.3f} ms",
                            static_cast<double>(*ns) / 1e6);
    return text;
}

}  // namespace opsight::query
