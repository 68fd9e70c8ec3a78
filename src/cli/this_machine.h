// What the machine that runs Opsight says of itself.
#pragma once

#include "hardware/devices.h"
#include "model/profile.h"

namespace opsight::cli {

// Empty where there is no /proc/cpuinfo.
hardware::CpuFacts this_processor();

// Adds the processor to a profile of a program that ran here, unless the program's own recording tells it.
void add_this_processor(ProfileInfo& info);

}  // namespace opsight::cli
