// Which types of a network's nodes an op of a framework may be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight::analyze {

// "aten::max_pool2d" and "MaxPool" are "maxpool2d" and "maxpool".
std::string plain_type(std::string_view type);

// In plain form; `type` too. Empty where nothing is known: then only a node of the same type will do.
const std::vector<std::string_view>& node_types_of(std::string_view type);

}  // namespace opsight::analyze
