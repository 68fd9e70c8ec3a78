// The architectures that come with the program: files of architectures/, as they are.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace opsight::importer::timeloop {

struct ShippedArchitecture {
    std::string_view name, yaml;

    // The first line: what it is.
    std::string_view title() const;
};

std::span<const ShippedArchitecture> shipped_architectures();
Result<ShippedArchitecture> find_architecture(std::string_view name);

}  // namespace opsight::importer::timeloop
