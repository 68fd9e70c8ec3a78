#include "hardware/memory_levels.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "hardware/devices.h"
#include "hardware/devices_data.h"

namespace opsight::hardware {

const MemoryLevels& built_in_memory_levels() {
    static const MemoryLevels levels = parse_memory_levels(kDevicesYaml, {});
    return levels;
}

Result<MemoryLevels> memory_levels_with_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    if (!file || !(text << file.rdbuf()))
        return fail("cannot read the file of devices", path, {}, "give a readable YAML file");
    return memory_levels_with_text(text.str(), path);
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
