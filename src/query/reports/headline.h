// The first numbers of the summary: wall clock, utilization, Tensor Cores, what the wall clock went to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/reports/reports.h"

namespace opsight::query {

// Makes the temporary tables used_devices (device_use.h) and summary_device, sums of device work by what it
// is. For who asks them; headline() does it itself.
Status prepare_headline(Session& session);

// A class of the time budget, in the order in which they are shown.
struct BudgetClass {
    size_t resource = 0;  // as IterationShares::ns has it
    std::string_view key, name;
    bool told = false;  // the profile can tell of it
};
Result<std::vector<BudgetClass>> budget_classes(Session& session);

// One row. For people a number that is known within bounds only is one text, "12.0 - 97.0%".
Result<ResultTable> headline(Session& session, const TableShape& shape);

}  // namespace opsight::query
