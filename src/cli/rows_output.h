// Prints the rows of a statement of the user's own.
#pragma once

#include "base/result.h"
#include "query/ask/result_table.h"
#include "report/render.h"

namespace opsight::cli {

// A table for people has no title.
Status print_rows(const query::ResultTable& table, report::Format format);

}  // namespace opsight::cli
