// The parts of a specification, each from its own key.
#pragma once

#include "import/timeloop/specification.h"
#include "import/timeloop/tree.h"

namespace opsight::importer::timeloop {

// `shape` may stand in a file of its own, or be missing: a convolution then.
Result<map::Problem> read_problem(const Tree& problem, const Tree* shape);

Result<map::Architecture> read_architecture(const Tree& architecture);

Place place_of(const Tree& tree);

// Where errors of a dimension point: to a factor of 1 only where no other is.
void note_factor(const std::string& dimension, int64_t factor, const Place& at, Places& places);

// A level of storage or the compute units as the files have it; the trees must live as long.
struct Component {
    const Tree* tree = nullptr;
    std::string name, kind;
    int64_t count = 1;
    Tree attributes;
};
// From the outermost; the compute units last.
Result<std::vector<Component>> components_of(const Tree& architecture);

// Energies of a table (ERT) or areas (ART) into the levels of that name. Levels that it does not have keep
// theirs.
Status read_energies(const Tree& table, map::Architecture& into);
Status read_areas(const Tree& table, map::Architecture& into);

// These note where the factors of each dimension and the loops of each level stand.
Result<map::Mapping> read_mapping(const Tree& mapping, const map::Architecture& architecture,
                                  const map::Problem& problem, Places& places);
// A list of constraints on mappings, added to those that are there.
Status read_constraints(const Tree& list, const map::Architecture& architecture, const map::Problem& problem,
                        map::Constraints& into, Places& places);
// The loop nest that Timeloop prints.
Result<map::Mapping> read_loop_nest(const std::string& text, const std::string& file,
                                    const map::Architecture& architecture, const map::Problem& problem,
                                    Places& places);

// The name of a list of instances, "PE[0..255]": "PE", 256. Accelergy's tables put its containers before it.
struct InstanceName {
    std::string name;
    int64_t count = 1;
};
Result<InstanceName> read_instances(const Tree& name);

}  // namespace opsight::importer::timeloop
