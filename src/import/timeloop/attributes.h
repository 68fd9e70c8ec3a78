// Attributes of an architecture's parts that are changed before it is read.
#pragma once

#include "import/timeloop/specification.h"
#include "import/timeloop/tree.h"

namespace opsight::importer::timeloop {

// Into the part of that name, instead of what says the same in other words (entries, sizeKB and depth are all
// a size). Fails where there is no such part, or the attribute is none that changes a number.
Status change_attribute(Tree& architecture, const AttributeChange& change);

}  // namespace opsight::importer::timeloop
