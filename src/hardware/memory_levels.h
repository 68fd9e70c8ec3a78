// What the caches of a device move at most. Apart from the devices themselves: few need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::hardware {

struct MemoryLevel {
    std::string name;      // "L2"
    double bandwidth = 0;  // bytes per second
    bool shared = false;   // one for all units; else the sum over those of the units
    std::string estimate;  // what speaks for it where nobody gives the figure; else empty
    std::string source;
};

struct DeviceLevels {
    std::string key, name;            // as in the table of devices
    std::vector<MemoryLevel> levels;  // the one next to the memory first
};
using MemoryLevels = std::vector<DeviceLevels>;

// Of the devices that are built in.
const MemoryLevels& built_in_memory_levels();
// With those of a user's file, or of its text, which replace others of the same key.
Result<MemoryLevels> memory_levels_with_file(const std::string& path);
Result<MemoryLevels> memory_levels_with_text(const std::string& text, const std::string& origin);
// None where the device or its levels are not known.
const std::vector<MemoryLevel>& levels_of(const MemoryLevels& all, std::string_view key);

// Adds those of a YAML text that a table of devices was read from.
MemoryLevels parse_memory_levels(const std::string& yaml, MemoryLevels base);

}  // namespace opsight::hardware
