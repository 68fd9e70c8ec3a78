// Parts of the names that TensorRT gives to layers that it has fused: "conv1.weight + QuantizeLinear_7 +
// Conv_9".
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace opsight {

// What TensorRT writes before the names of a copy's tensor and of the layer that it serves.
inline constexpr std::string_view kEngineCopy = "Reformatting CopyNode";

// Names have points, paths of layers "/" in their place.
inline bool names_weight(std::string_view part) {
    constexpr std::array<std::string_view, 6> kEndings = {".weight", "/weight", ".bias",
                                                          "/bias",   "/kernel", "_scale"};
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [part](std::string_view ending) { return part.ends_with(ending); });
}

inline bool names_quantization(std::string_view part) {
    return part.find("QuantizeLinear") != part.npos || part.find("quantizer") != part.npos;
}

}  // namespace opsight
