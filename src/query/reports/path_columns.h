// "On the critical path", as a column of tables of ops, layers and kernels.
#pragma once

#include <string>
#include <vector>

#include "query/ask/question.h"

namespace opsight::query {

// Makes the relation path_of_work (rank, op, kernel, name, outside, ns), which the statements of such tables
// read; it is empty where the shape does not ask for the column. Returns notes for the table.
Result<std::vector<std::string>> make_path_of_work(Session& session, const TableShape& shape);

// Adds the column where it is asked for.
void add_path_column(std::vector<Column>& columns, const TableShape& shape);

}  // namespace opsight::query
