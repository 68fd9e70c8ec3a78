// Attributes of an architecture's parts that are changed before it is read.
#pragma once

#include <set>

#include "import/timeloop/readers.h"
#include "import/timeloop/tree.h"

namespace opsight::importer::timeloop {

// Into the part of that name, instead of what says the same in other words (entries, sizeKB and depth are all
// a size). Fails where there is no such part, or the attribute is none that changes a number.
Status change_attribute(Tree& architecture, const AttributeChange& change);

// Accelergy takes attributes of any name, so that only those are refused that are a slip of the pen: nearly
// the name of one that counts. `declared`: those that classes of components name.
Status check_names(const Component& component, const std::set<std::string>& declared);

}  // namespace opsight::importer::timeloop
