#include "import/timeloop/architectures.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/timeloop/architectures_data.h"

namespace opsight::importer::timeloop {

std::string_view ShippedArchitecture::title() const {
    const std::string_view line = yaml.substr(0, yaml.find('\n'));
    return line.substr(std::min(line.size(), line.find_first_not_of("# ")));
}

std::span<const ShippedArchitecture> shipped_architectures() {
    return kShipped;
}

Result<ShippedArchitecture> find_architecture(std::string_view name) {
    for (const ShippedArchitecture& each : kShipped)
        if (each.name == name) return each;
    return fail(fmt::format("there is no architecture '{}'", name), {}, {},
                "'opsight map --list' names those that are there; others are given as files");
}

}  // namespace opsight::importer::timeloop
