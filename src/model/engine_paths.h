// Where a layer of a TensorRT engine stands among the layers of the network, by the names of what it was made
// of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsight {

// The ops in the name of a layer. TensorRT writes "a + b" for what it fused one behind the other, "a || b"
// for what it computes side by side (a branch each, here), "PWN(PWN(a), b)" for elementwise ops.
std::vector<std::vector<std::string>> engine_branches(std::string_view name);

// The path of the one of its ops that is most of the work: no weight and no quantization where there is
// another. `origins` are its ops where something else than the name tells them. Of branches side by side, and
// of a "{ForeignNode[a...b]}", the layer that holds all of them, with their names below it: its time is none
// of theirs alone. Of a copy that TensorRT put in, "Reformatting CopyNode for Input Tensor 0 to a/Conv", a
// place beside the layer that it serves.
std::string engine_path(std::string_view name, const std::vector<std::string>& origins = {});

}  // namespace opsight
