// Calls of the operating system's runtime and of message passing.
#include <fmt/format.h>

#include "query/stats.h"

namespace opsight::stats {
namespace {

Result<Table> osrt_sum(Source& source, const Arguments&) {
    return summary(source, "Num Calls", {{"Name", "s.text"}},
                   "st_host h JOIN raw.strings s ON s.id = h.name WHERE h.kind = 10");
}

}  // namespace

std::vector<Report> host_reports() {
    using enum Data;
    return {{"osrt_sum",
             "osrtsum",
             "OS Runtime Summary",
             kNone,
             {kOsRuntime},
             {},
             {},
             "Calls of the C library and the system, by function.",
             osrt_sum}};
}

}  // namespace opsight::stats
