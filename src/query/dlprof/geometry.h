// Parameters and output shapes of convolutions and matrix multiplies, from the arguments of the call.
// DLProf 1.4 and later told them of these ops only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::query::dlprof {

using Shape = std::vector<int64_t>;

// Of the tensors among the arguments, in their order; those that are none have no sizes.
struct Arguments {
    std::vector<Shape> tensors;
    // Of a convolution in two dimensions; not told: all ones, and no padding.
    std::optional<std::vector<int64_t>> stride, padding, dilation;
    std::optional<int64_t> groups;
    bool complete = true;  // false: one of them has a form that is not understood
    bool named = false;    // one of these settings is given by its name
};

// As JSON. Parameters are stride, padding, dilation and groups. DLProf has them only where the call gives one
// by its name, which modules do not; the output is that of all that is told.
struct Geometry {
    std::string parameters, outputs;  // "[[1, 1], [0, 0], [1, 1], [1]]", "[[1, 6, 30, 30]]"
};
// Empty for other ops, and where the arguments do not fit each other.
Geometry geometry_of(std::string_view type, const Arguments& arguments);

}  // namespace opsight::query::dlprof
