// The pauses of a stored recording.
#pragma once

#include <vector>

#include "base/duckdb.h"
#include "model/profile.h"
#include "query/session/cells.h"

namespace opsight::query {

// Of the rows of sql/pauses.sql, in their order.
inline std::vector<RecordingPause> stored_pauses(const duck::Rows& rows) {
    std::vector<RecordingPause> pauses;
    for (const auto& row : rows.rows)
        pauses.push_back({RankId(static_cast<size_t>(integer(row[0]))), integer(row[1]), integer(row[2])});
    return pauses;
}

}  // namespace opsight::query
