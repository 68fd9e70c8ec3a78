#include "query/session/memory_levels.h"

#include <fmt/format.h>

#include "hardware/memory_levels.h"

namespace opsight::query {
namespace {

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (char c : text)
        out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

}  // namespace

std::string memory_levels_sql() {
    std::string rows;
    for (const hardware::DeviceLevels& device : hardware::built_in_memory_levels()) {
        int place = 0;
        for (const hardware::MemoryLevel& level : device.levels)
            rows += fmt::format("{}({}, {}, {}, {}::DOUBLE, {}, {}, {})", rows.empty() ? "" : ", ",
                                quoted(device.name), place++, quoted(level.name), level.bandwidth,
                                level.shared, quoted(level.estimate), quoted(level.source));
    }
    return fmt::format(
        "CREATE OR REPLACE TEMP TABLE sel_levels AS FROM (VALUES {}) v(model, place, name, bandwidth, "
        "shared, estimate, "
        "source) WHERE model IN (SELECT model FROM raw.device_models)",
        rows);
}

}  // namespace opsight::query
