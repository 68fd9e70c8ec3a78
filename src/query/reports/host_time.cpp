#include "query/reports/host_time.h"

#include <fmt/format.h>

namespace opsight::query {
namespace {

constexpr int kCpu = 6, kHost = 9;  // resources of raw.resource_segments
constexpr int64_t kLongNs = 50'000;

// The segments of a resource within the wall clock, as s.
std::string segments(int resource) {
    return fmt::format(
        "s AS (SELECT g.rank, greatest(g.begin_ns, w.begin_ns) AS begin_ns, least(g.end_ns, w.end_ns) AS "
        "end_ns "
        "FROM raw.resource_segments g JOIN sel_wall w ON w.rank = g.rank AND g.begin_ns < w.end_ns AND "
        "w.begin_ns "
        "< g.end_ns WHERE g.resource = {})",
        resource);
}

constexpr const char* kClass =
    "CASE WHEN regexp_matches(x.text, "
    "'[Mm]alloc|Free|HostAlloc|MemAlloc|Host(Un)?[Rr]egister|Mem(Create|Map|Unmap|"
    "Release)') THEN 0 WHEN contains(x.text, 'Synchronize') OR (regexp_matches(x.text, '[Mm]em(cpy|set)') "
    "AND NOT "
    "contains(x.text, 'Async')) THEN 1 WHEN contains(x.text, 'Launch') THEN 2 ELSE 3 END";

// Whether half of the long launches are the first of their kernel, which load its code.
Result<bool> mostly_first_launches(Session& session, const std::string& call) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(
            fmt::format(
                "WITH l AS (SELECT d.name, t.rank, a.begin_ns, a.dur_ns, x.text FROM raw.device_spans d "
                "JOIN raw.api_calls a ON a.id = d.launch JOIN raw.tracks t ON t.id = a.track JOIN "
                "raw.strings x ON x.id = a.name WHERE d.kind = 0), "
                "f AS (SELECT name, rank, min(begin_ns) AS begin_ns FROM l GROUP BY ALL) "
                "SELECT 2 * count(*) FILTER (WHERE l.begin_ns = f.begin_ns) >= count(*) AND count(*) > 0 "
                "FROM l JOIN f USING (name, rank) WHERE l.dur_ns >= {} AND l.text = ?",
                kLongNs),
            {call}));
    return std::get<bool>(rows.rows.at(0)[0]);
}

}  // namespace

Result<std::optional<LongCalls>> long_calls(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(fmt::format(
            "WITH {}, a AS (SELECT t.rank, x.text AS name, {} AS class, a.begin_ns, a.begin_ns + a.dur_ns AS "
            "end_ns, "
            "a.dur_ns FROM raw.api_calls a JOIN raw.tracks t ON t.id = a.track JOIN raw.strings x ON x.id = "
            "a.name "
            "WHERE a.dur_ns >= {}), "
            "o AS (SELECT a.class, a.name, a.begin_ns, any_value(a.dur_ns) AS dur_ns, sum(least(s.end_ns, "
            "a.end_ns) - "
            "greatest(s.begin_ns, a.begin_ns))::BIGINT AS ns FROM a JOIN s ON s.rank = a.rank AND s.begin_ns "
            "< "
            "a.end_ns AND a.begin_ns < s.end_ns GROUP BY a.class, a.name, a.rank, a.begin_ns), "
            "n AS (SELECT class, name, count(*) AS calls, sum(ns)::BIGINT AS ns, max(dur_ns) AS longest, "
            "max(ns) AS "
            "most FROM o GROUP BY ALL), "
            "c AS (SELECT class, sum(ns) AS ns, max(most) AS most, arg_max(name, ns) AS name FROM n GROUP BY "
            "1) "
            "SELECT c.class::BIGINT, n.name, n.calls, n.ns, n.longest, 2 * c.most >= c.ns FROM c JOIN n "
            "USING (class, "
            "name) WHERE 2 * c.ns >= (SELECT sum(end_ns - begin_ns) FROM s) ORDER BY c.ns DESC LIMIT 1",
            segments(kCpu), kClass, kLongNs)));
    if (rows.rows.empty()) return std::nullopt;
    const auto& row = rows.rows[0];
    const auto number = [&row](size_t i) { return std::get<int64_t>(row[i]); };
    LongCalls calls{static_cast<CallClass>(number(0)),
                    std::get<std::string>(row[1]),
                    number(2),
                    number(3),
                    number(4),
                    std::get<bool>(row[5])};
    if (calls.of == CallClass::kLaunch) {
        OPSIGHT_ASSIGN(calls.first_launches, mostly_first_launches(session, calls.name));
    }
    return calls;
}

Result<std::string> range_beside_ops(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(fmt::format(
            "WITH {}, a AS (SELECT t.rank, x.text, regexp_replace(x.text, '[0-9]+', '#', 'g') AS name, "
            "a.begin_ns, "
            "a.begin_ns + a.dur_ns AS end_ns FROM raw.annotations a JOIN raw.tracks t ON t.id = a.track JOIN "
            "raw.strings x ON x.id = a.name WHERE "
            "a.dur_ns "
            ">= {} AND NOT starts_with(x.text, 'ProfilerStep')), "
            "n AS (SELECT CASE WHEN count(DISTINCT a.text) = 1 THEN min(a.text) ELSE a.name END AS name, "
            "sum(least(s.end_ns, a.end_ns) - greatest(s.begin_ns, a.begin_ns)) AS ns, "
            "sum(DISTINCT a.end_ns - a.begin_ns) AS own FROM a JOIN s ON s.rank = a.rank AND s.begin_ns < "
            "a.end_ns AND "
            "a.begin_ns < s.end_ns GROUP BY a.name) "
            "SELECT name FROM n WHERE 2 * ns >= (SELECT sum(end_ns - begin_ns) FROM s) ORDER BY own, name "
            "LIMIT 1",
            segments(kHost), kLongNs)));
    return rows.rows.empty() ? std::string() : std::get<std::string>(rows.rows[0][0]);
}

}  // namespace opsight::query
