// What the named ranges of a program took: NVTX ranges, or where a source has none, its annotations. The same
// ranges, nesting and projection as in the nvtx_* reports of stats.h, here for the range of a session.
#pragma once

#include "query/reports.h"

namespace opsight {

// Makes the table sel_ranges, a row for each name in a domain and style: those that begin in the chosen
// iterations, and have ended. self_ns is NULL for start/end ranges, which hold no others; gpu_ns and gpu_ops
// are NULL for those that launched nothing. Cost: a pass over all ranges and launches, about 40 bytes a
// range.
Status sum_ranges(Session& session, duck::Connection& connection);

// Makes the table merged_ranges after that: as sel_ranges, with a row for names that differ in numbers alone
// ("layer 3" and "layer 17" are "layer #"), if it is not there yet.
Status merge_ranges(Session& session);

// One row for each name; longest own time first.
Result<ResultTable> range_list(Session& session, const TableShape& shape);

// Ranges that come again and again, and so could be what the reader calls an iteration.
struct IterationChoice {
    std::string name;     // as people read it: "step", "iter #"
    std::string pattern;  // for --iteration-range
    int64_t count = 0;
};
// What to suggest for a profile without iterations, or whose iterations are inferred from kernels alone, for
// its program uses no framework; nothing where nothing repeats.
Result<std::optional<IterationChoice>> iteration_choice(Session& session);
// "'step' comes 12 times: --iteration-range '^step$' makes an iteration of each"; empty where nothing
// repeats.
Result<std::string> iteration_hint(Session& session);

}  // namespace opsight
