// Makes a rank of what TensorRT exported of one engine.
#pragma once

#include <string>

#include "import/tensorrt/documents.h"
#include "model/profile_builder.h"

namespace opsight::importer::tensorrt {

// Where the times of layers are there, the profile is one pass through the engine, made of their averages: a
// layer is an op and its device work, one behind the other, and what single inferences took are counters.
// Without them the inferences are the profile, with their real times.
struct Engine {
    std::string name;    // "resnet.onnx.engine"; empty: not told
    std::string source;  // the file that places of diagnostics name
    int64_t rank_hint = -1;
    LayerTimes times;
    Runs runs;
    std::vector<Layer> layers;
    Facts facts;
};

// The number of events; fails where the engine has neither times of layers nor inferences.
Result<uint64_t> add_engine(const Engine& engine, ProfileBuilder& builder);

}  // namespace opsight::importer::tensorrt
