// Where a layer of an engine stands among the layers of the network, by the names of what it was made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/tensorrt/documents.h"

namespace opsight::importer::tensorrt {

// The ops in the name of a layer. TensorRT writes "a + b" for what it fused one behind the other, "a || b"
// for what it computes side by side (a branch each, here), "PWN(PWN(a), b)" for elementwise ops.
std::vector<std::vector<std::string>> branches_of(std::string_view name);

// The path of the one of `origins` that is most of the work: no weight and no quantization where there is
// another. Of branches side by side, and of a "{ForeignNode[a...b]}", the layer that holds all of them, with
// their names below it: its time is none of theirs alone. Of a copy that TensorRT put in, "Reformatting
// CopyNode for Input Tensor 0 to a/Conv", a place beside the layer that it serves.
std::string path_of(const Layer& layer, const std::vector<std::string>& origins);

}  // namespace opsight::importer::tensorrt
