// Which options of `opsight map` say something about which of its answers.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::cli {

enum class MapJob : uint8_t {
    kList,          // names of architectures
    kCost,          // of a mapping that is given
    kSearch,        // of one problem
    kCloud,         // many draws
    kDraw,          // one of them
    kNetwork,       // all layers of a model, or one
    kSweep,         // of one problem
    kNetworkSweep,  // of a model
    kSoc,           // a model on several engines
};

// Refuses an option that was given and would be ignored, with a sentence that names it and what it stands
// beside.
Status check_uses(const CLI::App& map, MapJob job);

// The items of "energy,delay"; an empty one is refused. `option`: where it was given.
Result<std::vector<std::string>> list_items(std::string_view text, std::string_view option);

}  // namespace opsight::cli
