// How reports part their rows beside what a row is about: by rank, by device.
#pragma once

#include <vector>

#include "query/ask/question.h"

namespace opsight::query {

// Columns of the grouping.
std::vector<Column> group_columns(const TableShape& shape);
void append(std::vector<Column>& to, std::vector<Column> from);

// Rows that are equal but for their group stand in the order of groups.
void order_by_groups(Question& question, const TableShape& shape);

// A statement with $by_rank, $by_device and $for_people. What is not parted by rank or device has -1 in its
// place.
duck::Statement shaped(const duck::Sql& file, const TableShape& shape);

}  // namespace opsight::query
