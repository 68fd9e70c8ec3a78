// Which rows of a comparison come first: what stands, before what may be noise or the runs' own.
#pragma once

#include <vector>

#include "query/compare/changes.h"

namespace opsight::query {

// Whether one measure of a row differs by more than the other, and not by noise.
bool differs_more(const SampleDifference& measure, const SampleDifference& other);

// What two runs of one program may differ by is no doubt of a row of which a part differs the same way by
// more than that.
void stand_by_part(SampleDifference& row, const SampleDifference& part);

// Those that noise explains come after all that it does not; of those, what is another thing than before
// comes before what only took another time; within that, the greatest difference.
void put_in_order(std::vector<Change>& rows);

}  // namespace opsight::query
