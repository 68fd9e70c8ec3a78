#include "query/reports/run_queue.h"

#include "query/reports/range_resources.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

Result<RunQueueWaits> run_queue_waits(Session& session) {
    RunQueueWaits waits;
    OPSIGHT_ASSIGN(const duck::Rows told, session.query(reports::sql::run_queue_recorded));
    waits.recorded = std::get<bool>(told.rows.at(0)[0]);
    if (!waits.recorded) return waits;
    OPSIGHT_TRY(prepare_within(session));
    OPSIGHT_TRY(session.prepare(reports::sql::run_queue_spans));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::run_queue));
    const auto& row = rows.rows.at(0);
    waits.ns = integer(row[0]);
    waits.host_ns = integer(row[1]);
    waits.idle_ns = integer(row[2]);
    waits.wall_ns = integer(row[3]);
    return waits;
}

}  // namespace opsight::query
