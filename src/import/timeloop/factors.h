// The small languages inside Timeloop's YAML: "C1 M8 R=3", "C<=4", and orders of dimensions: "PRK".
#pragma once

#include <vector>

#include "import/timeloop/tree.h"
#include "map/problem.h"

namespace opsight::importer::timeloop {

struct Factor {
    int dimension = 0;
    int64_t count = 1;  // 0: what the other levels leave over
    bool at_most = false;
};

// A text or a list of them.
Result<std::vector<Factor>> read_factors(const Tree& tree, const map::Problem& problem);

// Dimensions from the innermost: "NPQR SCK", "P,R,K" or a list.
Result<std::vector<int>> read_order(const Tree& tree, const map::Problem& problem);

}  // namespace opsight::importer::timeloop
