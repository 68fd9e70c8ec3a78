#include "query/session/rank_numbers.h"

#include "query/session/cells.h"
#include "query/session/sql.h"

namespace opsight::query {

Result<RankNumbers> RankNumbers::read(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::rank_numbers));
    RankNumbers found;
    for (const auto& row : rows.rows)
        found.numbers_.emplace(integer(row[0]), integer(row[1]));
    return found;
}

int64_t RankNumbers::of(int64_t rank) const {
    const auto number = numbers_.find(rank);
    return number == numbers_.end() ? rank : number->second;
}

std::optional<int64_t> RankNumbers::only() const {
    return numbers_.size() == 1 ? std::optional(numbers_.begin()->second) : std::nullopt;
}

}  // namespace opsight::query
