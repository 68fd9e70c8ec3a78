#include "query/reports/advice_facts.h"

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

namespace sql = reports::sql;

Result<std::pair<int64_t, int64_t>> optimizer_ops(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::optimizer_ops));
    return std::pair(integer(rows.rows.at(0)[0]), integer(rows.rows[0][1]));
}

Result<std::pair<int64_t, int64_t>> short_kernels(Session& session, int64_t shorter_than_ns) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::short_kernels).set("ns", shorter_than_ns)));
    return std::pair(integer(rows.rows.at(0)[0]), integer(rows.rows[0][1]));
}

Result<IterationSpread> iteration_spread(Session& session, double times) {
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::iteration_spread).set("times", times)));
    const auto& row = rows.rows.at(0);
    return IterationSpread{integer(row[0]),     integer(row[1]),     integer(row[2]),
                           integer(row[3], -1), integer(row[4], -1), integer(row[5])};
}

Result<std::vector<MemoryHeld>> device_memory(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::device_memory));
    std::vector<MemoryHeld> all;
    for (const auto& row : rows.rows)
        all.push_back({integer(row[0]), integer(row[1]), integer(row[2]), integer(row[3])});
    return all;
}

}  // namespace opsight::query
