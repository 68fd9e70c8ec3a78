// What a marked call (a range of PyProf or DLProf that tells a function and its arguments) says of the ops
// inside, whose own ranges tell no shapes.
#pragma once

#include <string>
#include <string_view>

namespace opsight::importer::nvtx {

struct Arguments {
    std::string shapes, dtypes, concrete;  // JSON lists, one entry for each argument; empty: not told
};

// Those of `op` ("aten::cudnn_convolution") inside a call of `function` ("conv2d") with `call`: where the two
// are one function, or pass the same tensors on. Empty for other ops.
Arguments arguments_inside(std::string_view function, const Arguments& call, std::string_view op);

}  // namespace opsight::importer::nvtx
