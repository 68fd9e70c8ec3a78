// Which of TensorRT's exports a file is, and which of them are of one engine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/reader/reader.h"

namespace opsight::importer::tensorrt {

enum class FileKind : uint8_t {
    kNone,
    kTimes,   // trtexec --exportProfile: averages of layers
    kRuns,    // trtexec --exportTimes: times of each inference
    kLayers,  // trtexec --exportLayerInfo: what the layers are
    kFacts,   // the engine explorer's metadata: settings, summary, device
};

// By the first bytes.
FileKind kind_of(std::string_view head);

struct EngineFile {
    std::string path;
    FileKind kind = FileKind::kNone;
    bool found = false;  // see InputFile
};
struct EngineFiles {
    std::string name;  // "resnet.onnx.engine"; empty: their names do not tell
    std::vector<EngineFile> files;
};

// Files of a directory whose names are alike but for what the engine explorer adds (".profile.json",
// ".graph.json", ...) are of one engine, those that are named otherwise of another. At most one file of a
// kind but for facts: which belong together could not be told.
Result<std::vector<EngineFiles>> engines_of(std::span<const EngineFile> files);

}  // namespace opsight::importer::tensorrt
