// Reads a network from a file: ONNX, TensorFlow's GraphDef, SavedModel and MetaGraph, or a module of XLA's
// HLO.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model_graph.h"

namespace opsight::importer {

struct ModelOptions {
    std::map<std::string, int64_t> dims;  // values of open dimensions by name ("batch"), else 1
    std::map<std::string, Shape> shapes;  // of tensors by name, instead of the file's or what was inferred
    // Of inputs by name, where shapes depend on them.
    std::map<std::string, std::vector<double>> values;
};

// The kind is found out from the content. Errors name the file and the node.
Result<ModelGraph> import_model(const std::string& path, const ModelOptions& options);

// From bytes; `folder` is where weights kept outside of the file are looked for (empty: nowhere).
Result<ModelGraph> import_onnx(std::string_view bytes, const std::string& folder,
                               const ModelOptions& options);

// TensorFlow's GraphDef, MetaGraph or SavedModel, in binary or in text. Nothing where the bytes are none of
// them.
Result<std::optional<ModelGraph>> import_graphdef(std::string_view bytes, const ModelOptions& options);

// A module of XLA's HLO, in text or binary. Nothing where the bytes are none.
Result<std::optional<ModelGraph>> import_hlo(std::string_view bytes);

// Most nodes that a model may have once its functions are written out.
inline constexpr size_t kMostNodes = 1'000'000;

}  // namespace opsight::importer
