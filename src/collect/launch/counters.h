// Counters of the processor as the command line names them, and what of them this machine allows.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace opsight::collect {

// Bits of CpuCounter of a list as "cycles,instructions"; "cpu" stands for all.
Result<uint32_t> read_counters(const std::string& list);

struct CounterAbility {
    uint32_t here = 0;   // bits of those that can be read
    std::string detail;  // which they are, and why the others cannot
};
CounterAbility check_counters(uint32_t wanted);

}  // namespace opsight::collect
