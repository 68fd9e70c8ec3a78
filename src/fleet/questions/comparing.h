// Two sets of runs beside each other, and runs in their order.
#pragma once

#include "fleet/questions/choice.h"
#include "query/ask/report.h"

namespace opsight::fleet {

// The time of an iteration, what it went to, and ops by how much they differ. Of a side with several runs the
// middle one of each number. Fails where a side has no run.
Result<query::Report> compare_report(Store& store, const Chosen& base, const Chosen& next, int64_t limit);

// Where the time of an iteration changed, and what it went to. At least two runs that have iterations.
Result<query::Report> trend_report(Store& store, const Chosen& chosen);

}  // namespace opsight::fleet
