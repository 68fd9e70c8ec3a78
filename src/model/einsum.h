// The equation of an Einsum: which sizes its letters have, and what comes out.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/model_graph.h"

namespace opsight {

struct EinsumSizes {
    Shape output;
    double product = 1;  // of the sizes of all letters, those of "..." too
};

// Nothing where the equation and the shapes do not fit together. "..." stands for axes that broadcast;
// without
// "->" those of "..." come out, then the letters that stand once, in the order of the alphabet.
std::optional<EinsumSizes> einsum_sizes(std::string_view equation, const std::vector<Shape>& inputs);

}  // namespace opsight
