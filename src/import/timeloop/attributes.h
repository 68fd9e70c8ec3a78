// Names of attributes of an architecture's parts: which are known, and which are changed before it is read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "import/timeloop/readers.h"
#include "import/timeloop/tree.h"

namespace opsight::importer::timeloop {

// Into the part of that name, instead of what says the same in other words (entries, sizeKB and depth are all
// a size). Fails where there is no such part, or the attribute is none that changes a number.
Status change_attribute(Tree& architecture, const AttributeChange& change);

// Accelergy takes attributes of any name, so that only those are refused that are a slip of the pen: nearly
// the name of one that counts. What is returned nothing reads, each place once: "'bandwidth' (arch.yaml, line
// 12)". `used`: names that expressions, classes and tables of components have.
Result<std::vector<std::string>> unread_attributes(const std::vector<Component>& components,
                                                   const std::set<std::string>& used);

// The words of all texts of a tree, and with `keys` the names of all its members.
void add_words(const Tree& tree, bool keys, std::set<std::string>& into);

}  // namespace opsight::importer::timeloop
