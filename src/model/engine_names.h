// Parts of the names that TensorRT gives to layers that it has fused: "conv1.weight + QuantizeLinear_7 +
// Conv_9".
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace opsight {

// What TensorRT writes before the names of a copy's tensor and of the layer that it serves.
inline constexpr std::string_view kEngineCopy = "Reformatting CopyNode";

// What TensorRT before 8.2 writes behind the name of the layer that a copy serves: " input reformatter 0";
// empty where that is not what the name ends with.
inline std::string_view reformatter_of(std::string_view name) {
    const size_t number = name.find_last_not_of("0123456789");
    if (number == name.npos || number + 1 == name.size()) return {};
    for (const std::string_view side : {" input reformatter ", " output reformatter "})
        if (name.substr(0, number + 1).ends_with(side)) return name.substr(number + 1 - side.size());
    return {};
}

// Whether a layer only brings data into another layout.
inline bool names_engine_copy(std::string_view name) {
    return name.starts_with(kEngineCopy) || !reformatter_of(name).empty();
}

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
