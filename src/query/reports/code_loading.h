// What profilers list as their own work and the program has without them, too: the loading of libraries and
// of a device's code above all.
#pragma once

#include <cstdint>
#include <string>

#include "query/reports/activity_times.h"

namespace opsight::query {

struct CodeLoading {
    TimeSpans times;
    int64_t count = 0;
    std::string longest;  // its name
    int64_t longest_ns = 0;
};

// Of the chosen range. Cost: linear in these spans, and a sort.
Result<CodeLoading> code_loading(Session& session);

}  // namespace opsight::query
