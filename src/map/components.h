// What parts of an accelerator cost by estimate: memories, registers, arithmetic, wires, from published
// figures of 45 nm, scaled to other technologies (technology.h). Each estimate names its source. Estimates
// know no leakage.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace opsight::map {

struct ComponentFacts {
    std::map<std::string, double> numbers;     // width, depth, datawidth, length (mm), ...
    std::map<std::string, std::string> texts;  // type of a DRAM
    double technology_nm = 45;

    // The first of these that is there.
    double number(std::initializer_list<const char*> names, double fallback) const;
};

struct ComponentEstimate {
    std::map<std::string, double> actions_pj;  // of one action
    double area_um2 = 0;                       // of one instance
    std::string source;

    // The first of these that is there, else nothing.
    const double* action(std::initializer_list<const char*> names) const;
};

// Names of the classes that have an estimate, for messages.
std::string estimated_classes();

// Fails for a class without an estimate, for sizes of 0 or less, and for technologies below 7 or above 130
// nm.
Result<ComponentEstimate> estimate_component(const std::string& kind, const ComponentFacts& facts);

}  // namespace opsight::map
