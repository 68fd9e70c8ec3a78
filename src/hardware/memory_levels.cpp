#include "hardware/memory_levels.h"

#include <algorithm>

#include "base/small_file.h"
#include "hardware/devices.h"
#include "hardware/devices_data.h"

namespace opsight::hardware {

const MemoryLevels& built_in_memory_levels() {
    static const MemoryLevels levels = parse_memory_levels(kDevicesYaml, {});
    return levels;
}

Result<MemoryLevels> memory_levels_with_file(const std::string& path) {
    OPSIGHT_ASSIGN(const std::string text, small_file(path, kLargestSettings));
    return memory_levels_with_text(text, path);
}

Result<MemoryLevels> memory_levels_with_text(const std::string& text, const std::string& origin) {
    OPSIGHT_TRY(DeviceTable::with_text(text, origin));
    return parse_memory_levels(text, built_in_memory_levels());
}

const std::vector<MemoryLevel>& levels_of(const MemoryLevels& all, std::string_view key) {
    static const std::vector<MemoryLevel> none;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const DeviceLevels& each) { return each.key == key; });
    return found == all.end() ? none : found->levels;
}

}  // namespace opsight::hardware
