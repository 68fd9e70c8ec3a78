// Statements over the views of a profile, made cheaper. DuckDB 1.4 works out every LEFT JOIN of a view, also
// those whose columns a statement does not read: of `ops` alone two hash tables of a row for each op.
#pragma once

#include <string>

namespace opsight::query {

// The statement with what it reads of each view in front of it, joined to no more than that needs. Its rows
// are the same; a statement that reads all columns of a view, or has no such joins, is given back as it is.
std::string with_lean_views(const std::string& statement);

}  // namespace opsight::query
