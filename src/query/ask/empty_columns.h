// Columns that say nothing.
#pragma once

#include "query/ask/result_table.h"

namespace opsight::query {

// Takes away the columns that have no value in any row.
void leave_out_empty(ResultTable& table);

}  // namespace opsight::query
