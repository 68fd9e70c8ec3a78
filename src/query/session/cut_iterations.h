// Cuts the iterations of a stored profile anew, by the same rules as the analysis (analyze/iterations.h).
#pragma once

#include <string>
#include <vector>

#include "base/duckdb.h"

namespace opsight::query {

struct CutIteration {
    uint32_t rank = 0;  // ranks.id
    int64_t number = 0, begin_ns = 0, end_ns = 0;
    std::string name;
    bool warmup = false;
    std::string warmup_reason;
};

struct CutIterations {
    std::string source, description;
    std::vector<CutIteration> list;  // empty: nothing has the name, or matches the pattern
};

// One of `key_op` and `pattern` is given.
Result<CutIterations> cut_stored_iterations(duck::Connection& connection, const std::string& key_op,
                                            const std::string& pattern);

}  // namespace opsight::query
