// What the values of a column must be for a profile file to be used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/schema.h"

namespace opsight::db {

// Texts of a profile: those who read it keep a list of them in memory.
inline constexpr int64_t kMostTexts = 1 << 27;

enum class Rule : uint8_t {
    kAny,
    kWithin,     // least to most
    kNumber,     // the number of its row
    kUnique,     // from 0 on, no two alike
    kRising,     // the same; in most files each is greater than the one before
    kRefersTo,   // least to the last row of table `to`
    kParent,     // the same within the own table, whose parents come before their children
    kEarlier,    // least to less than the id of the row
    kIteration,  // the number of an iteration, or -1
};

struct ValueRule {
    Rule rule = Rule::kAny;
    int64_t least = 0, most = 0;
    std::string_view to = {};
};

ValueRule value_rule(const Table& table, const Column& column);

}  // namespace opsight::db
