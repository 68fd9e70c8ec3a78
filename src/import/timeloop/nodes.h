// An architecture as people write it for Timeloop 0.4 (nodes with !Component, !Container, !Parallel,
// !Nothing, !Hierarchical, expressions, constraints in the components), written out as Timeloop's front end
// does it: a flat list of components with all their attributes, and lists of constraints.
#pragma once

#include <map>

#include "import/timeloop/constraint_parts.h"
#include "import/timeloop/expression.h"
#include "import/timeloop/tree.h"
#include "map/problem.h"

namespace opsight::importer::timeloop {

struct WrittenOut {
    Tree architecture;            // with the key `local`
    ConstraintParts constraints;  // of the components
    // Containers and components with a mesh of their own, and the level that spreads over it.
    std::map<std::string, std::string> spreads;

    // Adds a list of parts with targets: spatial ones of a container go to the level that spreads.
    Status add(const Tree& list);
};

// `variables` are those of the files. The trees must live as long as the answer.
Result<WrittenOut> write_out(const Tree& architecture, const Scope& variables, const map::Problem& problem);

// The members of a map, in their order; each may use those before it. What does not evaluate is an error,
// with its line. Texts in quotes, lists and maps stay as they are.
Status evaluate_members(const Tree& members, Scope& into);
// The same map with the values in place of the expressions.
Result<Tree> with_values(const Tree& members, const Scope& around);

}  // namespace opsight::importer::timeloop
