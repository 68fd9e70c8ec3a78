// How a problem runs on an architecture: for each level of storage the loops that it walks through, in time
// and across what is below it, and which data spaces it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "map/architecture.h"
#include "map/problem.h"

namespace opsight::map {

enum class Across : uint8_t { kTime, kX, kY };

struct Loop {
    int dimension = 0;
    int64_t count = 1;
    Across across = Across::kTime;

    bool operator==(const Loop&) const = default;
};

struct LevelMapping {
    std::vector<Loop> loops;  // from the innermost: those across X and Y before those in time
    uint32_t kept = ~0U;      // bit i: data space i stays at this level

    bool keeps(size_t space) const { return (kept >> space & 1U) != 0; }
    bool operator==(const LevelMapping&) const = default;
};

struct Mapping {
    std::vector<LevelMapping> levels;  // as those of the architecture

    bool operator==(const Mapping&) const = default;
};

// What is wrong with a mapping whatever its tiles are: loops whose counts do not multiply to the problem's
// bounds, more instances than there are, a data space that is held nowhere or not whole where it comes from.
// The error's place is the part of the mapping: "loops of Buffer" (in time), "loops across
// Buffer", "dimension C".
Status check(const Mapping& mapping, const Architecture& architecture, const Problem& problem);

// The loop nest, outermost level first, each with the words that its tiles take:
//   GlobalBuffer [ Inputs:3600 Outputs:32448 ]
//   |   for K in [0:12)
std::string loop_nest(const Mapping& mapping, const Architecture& architecture, const Problem& problem);

}  // namespace opsight::map
