// Threads on CPUs: stretches between switches of context.
#include <fmt/format.h>

#include "query/reports/source_reports.h"

namespace opsight::query {
namespace {

// The chosen time, piece by piece: iterations, or of a whole run what the recorded switches cover, for
// threads that started late were not on a CPU before.
std::string pieces(const Session& session) {
    if (session.range().whole)
        return "(SELECT t.rank, min(s.begin_ns) OVER () AS begin_ns, max(s.begin_ns + s.dur_ns) OVER () AS "
               "end_ns "
               "FROM s JOIN raw.tracks t ON t.id = s.track QUALIFY row_number() OVER (PARTITION BY t.rank) = "
               "1)";
    return "(SELECT rank, begin_ns, end_ns FROM sel_iterations)";
}

}  // namespace

Result<ResultTable> scheduling_sums(Session& session, const TableShape& shape) {
    Question q{"scheduling", "Threads on CPUs"};
    q.fields = {{{"rank", "Rank", Unit::kCount, 4}, "r.number"},
                {{"process", "Process"}, "t.pid_text"},
                {{"thread", "Thread"}, "replace(t.tid_text, 'CPU of thread ', '')"},
                {{"on_cpu_ns", "Time on a CPU (ns)", Unit::kNs}, "c.on_cpu_ns"},
                {{"on_cpu_pct", "On a CPU (%)", Unit::kPercent}, "100.0 * c.on_cpu_ns / nullif(n.ns, 0)"},
                {{"stretches", "Stretches", Unit::kCount}, "c.stretches"},
                {{"avg_ns", "Avg Stretch (ns)", Unit::kNs, 2}, "c.avg_ns"},
                {{"max_ns", "Max Stretch (ns)", Unit::kNs, 3}, "c.max_ns"},
                {{"cpus", "CPUs", Unit::kCount, 1}, "c.cpus"}};
    q.with = fmt::format(
        "WITH s AS (SELECT s.track, s.begin_ns, s.dur_ns, s.name FROM raw.other_spans s JOIN raw.strings y "
        "ON y.id = "
        "s.category WHERE y.text = 'cpu_scheduling'), p AS (FROM {}), "
        "n AS (SELECT rank, sum(end_ns - begin_ns)::BIGINT AS ns FROM p GROUP BY rank), "
        "k AS (SELECT s.track, s.name, least(s.begin_ns + s.dur_ns, p.end_ns) - greatest(s.begin_ns, "
        "p.begin_ns) AS "
        "ns FROM s JOIN raw.tracks t ON t.id = s.track JOIN p ON p.rank = t.rank AND s.begin_ns < p.end_ns "
        "AND "
        "s.begin_ns + s.dur_ns > p.begin_ns), "
        "c AS (SELECT track, count(*) AS stretches, sum(ns)::BIGINT AS on_cpu_ns, round(avg(ns))::BIGINT AS "
        "avg_ns, "
        "max(ns) AS max_ns, count(DISTINCT name) AS cpus FROM k GROUP BY track) ",
        pieces(session));
    q.source =
        "c JOIN raw.tracks t ON t.id = c.track JOIN n ON n.rank = t.rank LEFT JOIN raw.ranks r ON r.id = "
        "t.rank";
    q.order = {{"on_cpu_ns", true}, {"process", false}, {"thread", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
