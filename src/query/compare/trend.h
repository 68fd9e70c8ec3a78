// Many runs in their order: how long an iteration took in each, and where that changed.
#pragma once

#include <string_view>
#include <vector>

#include "query/ask/report.h"
#include "query/compare/side.h"

namespace opsight::query {

// What the first series is called, in the column "of" of the changes.
inline constexpr std::string_view kIterationTime = "iteration time";

// By the time of recording, where every profile tells it: then true. Else they stay as they are.
bool order_by_time(std::vector<Side>& runs);

// Of two runs or more. Fails where not all of them are alike in having iterations.
Result<Report> trend_report(const std::vector<Side>& runs, bool by_time);

}  // namespace opsight::query
