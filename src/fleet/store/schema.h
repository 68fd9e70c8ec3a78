// The tables of a store of runs: facts, no raw spans. docs/FLEET.md explains them, `opsight fleet schema`
// prints them. They are the same in every kind of store; what a store keeps besides (which push a row is of)
// is its own.
//
// Every table begins with the column `run`, which is not listed here: the id of the run, 32 hexadecimal
// digits. Sums come in three levels, so that a question reads no more than it must: of the run (ops), of each
// rank (rank_ops), of each iteration of each rank (iteration_ops).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opsight::fleet {

// Of the facts: goes up with every change of a table. A store tells the version of each run in it.
inline constexpr int kFactsVersion = 1;

enum class Type : uint8_t { kText, kInteger, kReal };  // UTF-8, 64 bits signed, 64 bits IEEE 754

struct Column {
    std::string_view name;
    Type type = Type::kInteger;
    bool may_be_null =
        false;  // NULL: not recorded or not applicable. Where it may not, there is always a value
    std::string_view unit{};  // "ns", "bytes", "%"; empty: a text, an id or a plain number
    std::string_view meaning{};
};

struct Table {
    std::string_view name, meaning;
    // Staged in a part for each rank (the tables iteration_*, whose first column is `rank`), else in one.
    bool by_rank = false;
    std::vector<Column> columns;
};

// In the order in which they are staged.
const std::vector<Table>& tables();
// Null where there is none of that name.
const Table* find_table(std::string_view name);

}  // namespace opsight::fleet
