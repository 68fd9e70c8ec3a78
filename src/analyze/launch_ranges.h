// The named ranges that kernels were launched in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/profile.h"

namespace opsight::analyze {

// Stacks of names, each one more than another: stack 0 is empty.
struct RangeStacks {
    struct Stack {
        uint32_t outer = 0;
        StringId name;
    };
    std::vector<Stack> stacks = {{}};
    std::vector<uint32_t> of_row;  // beside the device spans; 0 where the launch is not known or in no range

    // The names, the outermost first.
    std::vector<StringId> names(uint32_t stack) const;
};

// Of NVTX ranges that end on the thread that began them, as written; of a profile without NVTX, of
// annotations. A launch is in the ranges of its thread that hold its begin. Cost: linear, but n log n in the
// launches.
RangeStacks ranges_of_launches(const Profile& profile);

}  // namespace opsight::analyze
