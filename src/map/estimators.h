// Energies for who has no table of them: the built-in ones of Timeloop 3 (its "PAT"), which follow the
// figures that Eyeriss was published with: 16 bits from a 0.5 KB register file cost as much as a
// multiply-add, from a 100 KB buffer 6 times, from DRAM 200 times (Chen, Emer, Sze: Eyeriss, ISCA 2016, Table
// IV). In between they are on a line. One unit is 1 pJ. They know no area.
#pragma once

#include "map/architecture.h"

namespace opsight::map {

// Of one access to a block of the level.
double built_in_access_pj(const Level& level);
// Of one multiply-add of words of that many bits.
double built_in_compute_pj(int64_t word_bits);

}  // namespace opsight::map
