// What the columns of a report mean, for who reads it elsewhere than on the page.
#pragma once

#include "query/ask/report.h"

namespace opsight::query {

// A report of the same name: for each of its tables the columns by header and key, with their meaning (empty
// where docs/metrics.md defines none).
Report columns_explained(const Report& report);

}  // namespace opsight::query
