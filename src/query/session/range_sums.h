// What the named ranges of a program took: NVTX ranges, or where a source has none, its annotations. The same
// ranges, nesting and projection as in the nvtx_* reports of nsys/stats.h, here for the range of a session.
#pragma once

#include "query/session/session.h"

namespace opsight::query {

// Makes the table sel_ranges, a row for each name in a domain and style: those that begin in the chosen
// iterations, and have ended. self_ns is NULL for start/end ranges, which hold no others; gpu_ns and gpu_ops
// are NULL for those that launched nothing. Cost: a pass over all ranges and launches, about 40 bytes a
// range.
Status sum_ranges(Session& session, duck::Connection& connection);

// Makes the table merged_ranges after that: as sel_ranges, with a row for names that differ in numbers alone
// ("layer 3" and "layer 17" are "layer #"), if it is not there yet.
Status merge_ranges(Session& session);

}  // namespace opsight::query
