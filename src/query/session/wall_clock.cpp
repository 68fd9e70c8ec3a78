#include "query/session/wall_clock.h"

#include "query/session/sql.h"

namespace opsight::query {

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

Result<std::vector<WallStretch>> wall_stretches(Session& session) {
    std::vector<WallStretch> stretches;
    if (session.range().whole) return stretches;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::wall_stretches));
    for (const auto& row : rows.rows)
        stretches.push_back(
            {std::get<int64_t>(row[0]), std::get<int64_t>(row[1]), std::get<int64_t>(row[2])});
    return stretches;
}

}  // namespace opsight::query
