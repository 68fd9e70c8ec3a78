// Where the groups of a layer (dimension G) may go, which the files of an architecture do not name.
#pragma once

#include "import/timeloop/tree.h"
#include "map/constraints.h"
#include "map/problem.h"

namespace opsight::importer::timeloop {

// Groups that have no constraints of their own get those of the dimension that `groups` of mapspace names, or
// else of images (N). `space`: the part mapspace of the files; null: there is none.
Status place_groups(const Tree* space, const map::Problem& problem, map::Constraints& into);

}  // namespace opsight::importer::timeloop
