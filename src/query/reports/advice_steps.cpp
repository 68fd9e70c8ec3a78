#include "query/reports/advice_steps.h"

#include <unordered_map>

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

namespace sql = reports::sql;

Result<std::vector<TimeSpan>> loader_waits(Session& session) {
    std::vector<TimeSpan> all;
    OPSIGHT_TRY(each_span(session, sql::loader_waits, [&](const TimeSpan& wait) { all.push_back(wait); }));
    return all;
}

Result<std::vector<BatchTime>> batch_times(Session& session) {
    std::vector<BatchTime> all;
    OPSIGHT_TRY(session.scan(sql::batch_times, [&](const duck::Batch& batch) {
        const auto *rank = batch.column<int64_t>(0), *begin = batch.column<int64_t>(1),
                   *end = batch.column<int64_t>(2), *items = batch.column<int64_t>(3);
        for (size_t i = 0; i < batch.size(); ++i)
            all.push_back({{rank[i], begin[i], end[i]}, items[i]});
    }));
    return all;
}

Result<std::vector<ServingStep>> serving_steps(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows texts, session.query(sql::serving_names));
    std::unordered_map<int64_t, marks::ServingStep> named;
    for (const auto& row : texts.rows)
        if (const auto step = marks::serving_step(text(row[1]))) named.emplace(integer(row[0]), *step);
    std::vector<ServingStep> all;
    if (named.empty()) return all;
    OPSIGHT_TRY(session.scan(sql::serving_steps, [&](const duck::Batch& batch) {
        const auto *rank = batch.column<int64_t>(0), *begin = batch.column<int64_t>(1),
                   *end = batch.column<int64_t>(2), *name = batch.column<int64_t>(3);
        for (size_t i = 0; i < batch.size(); ++i) {
            const auto step = named.find(name[i]);
            const bool within =
                !all.empty() && all.back().time.rank == rank[i] && end[i] <= all.back().time.end;
            if (step == named.end() || within) continue;
            if (step->second.prefill > 0 || step->second.decode > 0)
                all.push_back({{rank[i], begin[i], end[i]}, step->second});
        }
    }));
    return all;
}

Result<std::optional<double>> balanced_rows(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::balanced_rows));
    const double found = real(rows.rows.at(0)[0]);
    return found > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace opsight::query
