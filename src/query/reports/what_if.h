// The answers of the what-if engine as reports (docs/WHATIF.md).
#pragma once

#include "query/reports/reports.h"
#include "query/whatif/whatif.h"

namespace opsight::query {

// How well the iterations are replayed, what they would take, and what would bind them then.
Result<Report> what_if_report(Session& session, const Suppositions& suppositions, const TableShape& shape);

// What the chosen iterations waited for, one after another.
Result<Report> critical_path_report(Session& session, const TableShape& shape);

}  // namespace opsight::query
