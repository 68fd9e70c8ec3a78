// Threads on CPUs: stretches between switches of context.
#include "query/reports/source_reports.h"
#include "query/reports/sql.h"

namespace opsight::query {

Result<ResultTable> scheduling_sums(Session& session, const TableShape& shape) {
    Question q{"scheduling", "Threads on CPUs"};
    q.columns = {{"rank", "Rank", Unit::kCount, 4, Role::kId},
                 {"process", "Process"},
                 {"thread", "Thread"},
                 {"on_cpu_ns", "Time on a CPU (ns)", Unit::kNs},
                 {"on_cpu_pct", "On a CPU (%)", Unit::kPercent},
                 {"stretches", "Stretches", Unit::kCount},
                 {"avg_ns", "Avg Stretch (ns)", Unit::kNs, 2},
                 {"max_ns", "Max Stretch (ns)", Unit::kNs, 3},
                 {"cpus", "CPUs", Unit::kCount, 1}};
    q.rows = reports::sql::scheduling;
    q.rows.set("whole", session.range().whole);
    q.order = {{"on_cpu_ns", true}, {"process", false}, {"thread", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
