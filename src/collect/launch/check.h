// What can be recorded on this machine, and why the rest cannot.
#pragma once

#include <string>
#include <vector>

#include "collect/launch/launcher.h"

namespace opsight::collect {

struct Ability {
    std::string name;  // "nvtx"
    bool ready = false;
    std::string detail;  // what it records, or why it cannot and what to do
};
std::vector<Ability> check_abilities(const Parts& parts);

// Where a program of that name is on PATH; empty: nowhere.
std::string find_program(const std::string& name);

}  // namespace opsight::collect
