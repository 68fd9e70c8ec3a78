// Streams summed up anew, for iterations that were cut anew, by the same rules as the analysis
// (analyze/streams.h).
#pragma once

#include "base/duckdb.h"

namespace opsight {

// Makes the table `name` with columns as in raw.stream_stats. `iterations` is a relation like
// raw.iterations. Cost: all kernels, copies and sets of the profile are read.
Status sum_stored_streams(duck::Connection& connection, const std::string& iterations,
                          const std::string& name);

}  // namespace opsight
