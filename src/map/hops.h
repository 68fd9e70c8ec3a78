// How far words go on the network below a level.
#pragma once

#include <optional>

#include "map/mapping.h"

namespace opsight::map {

// Links that a word of a data space passes on its way from one instance of a level to all those below it that
// need it, on average over the words. As Timeloop counts them: instances stand in the level's mesh from its
// corner on; a word comes in at column 0, at the middle of the rows (of all that there are, used or not),
// goes along to the last column that needs it, and in each column up and down to the rows furthest away that
// need it. What is looked at are whole tiles: where those of two instances overlap in part, the words of both
// go to each on their own. Nothing where there are too many instances to look at each.
std::optional<double> average_hops(const Problem& problem, const Architecture& architecture,
                                   const Mapping& mapping, size_t level, size_t space);

}  // namespace opsight::map
