// The first numbers of the summary: wall clock, utilization, Tensor Cores, what the wall clock went to.
#pragma once

#include <string>

#include "query/reports/reports.h"

namespace opsight::query {

// Makes the temporary tables used_devices (device_use.h) and summary_device, sums of device work by what it
// is.
Status prepare_headline(Session& session);

// One row. For people a number that is known within bounds only is one text, "12.0 - 97.0%".
Result<ResultTable> headline(Session& session, const TableShape& shape);

}  // namespace opsight::query
