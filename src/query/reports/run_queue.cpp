#include "query/reports/run_queue.h"

#include "query/reports/source_reports.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

Result<RunQueueWaits> run_queue_waits(Session& session) {
    RunQueueWaits waits;
    OPSIGHT_ASSIGN(waits.recorded, is_recorded(session, "run_queue"));
    if (!waits.recorded) return waits;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::run_queue));
    const auto& row = rows.rows.at(0);
    waits.ns = integer(row[0]);
    waits.host_ns = integer(row[1]);
    waits.idle_ns = integer(row[2]);
    waits.wall_ns = integer(row[3]);
    return waits;
}

}  // namespace opsight::query
