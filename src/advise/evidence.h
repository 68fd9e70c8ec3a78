// The SQL that lists evidence, of one rank of several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opsight::advise {

// Adds to each "{range}" of a rule's query (rule.h) that the rank has this number: the column `rank`, or the
// one that
// "{range:COLUMN}" names. Without a rank those become plain "{range}".
std::string query_of_rank(std::string_view query, std::optional<int64_t> rank);

// Whether a query says that it is of that rank: those that have no range do not.
bool names_rank(std::string_view query, int64_t rank);

}  // namespace opsight::advise
