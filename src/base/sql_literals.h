// Statements with literals of another dialect than DuckDB's.
#pragma once

#include <functional>
#include <string>

#include "base/sql.h"

namespace opsight::duck {

// As Statement::written(), each value as `literal_of` has it. Quotes and comments are those of DuckDB.
std::string written_with(const Statement& statement,
                         const std::function<std::string(const Cell&)>& literal_of);

}  // namespace opsight::duck
