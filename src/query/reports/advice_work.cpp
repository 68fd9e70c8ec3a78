#include "query/reports/advice_work.h"

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

namespace sql = reports::sql;

Result<FarWork> work_far_from_bound(Session& session, double pct, int64_t ns) {
    OPSIGHT_TRY(session.prepare_work());
    OPSIGHT_TRY(session.prepare(sql::bounds_of_kernels));
    OPSIGHT_TRY(session.execute(duck::Statement(sql::far_work).set("pct", pct).set("ns", ns)));
    FarWork found;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::farthest_work));
    if (rows.rows.empty()) return found;
    const auto& row = rows.rows[0];
    found.farthest = FarOp{text(row[0]), text(row[1]), integer(row[2]), integer(row[3]), flag(row[4])};
    std::vector<TimeSpan> beyond;
    OPSIGHT_TRY(
        each_span(session, sql::times_far_work, [&](const TimeSpan& span) { beyond.push_back(span); }));
    found.beyond.count = static_cast<int64_t>(beyond.size());
    OPSIGHT_ASSIGN(found.beyond.times, within_range(session, std::move(beyond)));
    return found;
}

Result<std::vector<PeakMemory>> memory_at_peak(Session& session, int64_t least) {
    OPSIGHT_TRY(session.prepare(sql::memory_held));
    OPSIGHT_ASSIGN(const duck::Rows most, session.query(sql::memory_peak_bytes));
    if (integer(most.rows.at(0)[0]) < least) return std::vector<PeakMemory>();
    OPSIGHT_TRY(session.prepare(sql::ops_of_events));
    OPSIGHT_TRY(session.prepare(sql::memory_at_peak));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::memory_holders));
    std::vector<PeakMemory> all;
    for (const auto& row : rows.rows) {
        const int64_t rank = integer(row[0]), device = integer(row[1]);
        if (all.empty() || all.back().rank != rank || all.back().device != device)
            all.push_back({rank, device, integer(row[2]), integer(row[7]), flag(row[8]), {}});
        if (integer(row[5]) > 0)
            all.back().holders.push_back({text(row[3]), text(row[4]), integer(row[5]), integer(row[6])});
    }
    return all;
}

Result<HostProducts> host_products(Session& session) {
    OPSIGHT_TRY(session.prepare_work());
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::host_products));
    HostProducts all;
    for (const auto& row : rows.rows) {
        all.ns += integer(row[2]);
        all.bound_ns += integer(row[3]);
    }
    if (all.ns > 0) {
        const auto& row = rows.rows[0];
        all.farthest = FarOp{text(row[0]), text(row[1]), integer(row[2]), integer(row[3]), flag(row[4])};
    }
    return all;
}

Result<std::pair<double, double>> host_rates(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::host_rates));
    return std::pair(real(rows.rows.at(0)[0]), real(rows.rows[0][1]));
}

}  // namespace opsight::query
