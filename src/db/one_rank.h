// A profile as if it had one of its ranks alone.
#pragma once

#include <cstdint>
#include <string>

namespace opsight::db {

// Statements for one connection to an open profile, which read `raw` and the views as before and find there
// the rows of that rank (ranks.id) alone. What no rank has of its own (names, layers, facts of the file)
// stays whole; of collectives those stay that the rank takes part in.
std::string one_rank_sql(int64_t rank);

}  // namespace opsight::db
