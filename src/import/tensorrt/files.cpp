#include "import/tensorrt/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "import/text/first_bytes.h"

namespace opsight::importer::tensorrt {
namespace {

namespace fs = std::filesystem;

// The longest first.
constexpr std::array<std::string_view, 9> kEndings = {".profile.metadata.json",
                                                      ".build.metadata.json",
                                                      ".metadata.json",
                                                      ".profile.json",
                                                      ".timing.json",
                                                      ".times.json",
                                                      ".graph.json",
                                                      ".layer.json",
                                                      ".layers.json"};

std::string engine_name(const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    for (const std::string_view ending : kEndings)
        if (name.size() > ending.size() && name.ends_with(ending))
            return name.substr(0, name.size() - ending.size());
    return {};
}

const char* word(FileKind kind) {
    switch (kind) {
        case FileKind::kTimes:
            return "times by layer";
        case FileKind::kRuns:
            return "times of inferences";
        case FileKind::kLayers:
            return "descriptions of layers";
        case FileKind::kFacts:
        case FileKind::kNone:
            break;
    }
    return "facts";
}

}  // namespace

FileKind kind_of(std::string_view head) {
    head = behind_space(head);
    if (head.empty()) return FileKind::kNone;
    const auto has = [head](std::string_view word) { return head.find(word) != head.npos; };
    if (head[0] == '[' && !has("\"ph\"")) {
        if (has("\"averageMs\"") && has("\"timeMs\"")) return FileKind::kTimes;
        if (has("\"computeMs\"") && has("\"latencyMs\"")) return FileKind::kRuns;
        if (has("\"ComputeCapability\"") && has("\"TotalMemory\"")) return FileKind::kFacts;
    }
    if (head[0] == '{') {
        const std::string_view rest = behind_space(head.substr(1));
        // Of less detail ("layer_names_only") a layer is its name.
        if (rest.starts_with("\"Layers\"")) return FileKind::kLayers;
        if (rest.starts_with("\"performance_summary\"")) return FileKind::kFacts;
        if (rest.starts_with("\"model_options\"") && has("\"build_options\"")) return FileKind::kFacts;
    }
    return FileKind::kNone;
}

Result<std::vector<EngineFiles>> engines_of(std::span<const EngineFile> files) {
    std::map<std::pair<std::string, std::string>, EngineFiles> engines;
    for (const EngineFile& file : files) {
        const std::string name = engine_name(file.path);
        EngineFiles& engine = engines[{fs::path(file.path).parent_path().string(), name}];
        engine.name = name;
        for (const EngineFile& other : engine.files)
            if (other.kind == file.kind && file.kind != FileKind::kFacts)
                return fail(fmt::format("holds {} of TensorRT, and so does {}: which of the files beside "
                                        "them belong to which is not told",
                                        word(file.kind), other.path),
                            file.path, {}, "give the files of one engine, or keep engines in folders");
        engine.files.push_back(file);
    }
    std::vector<EngineFiles> list;
    for (auto& [key, engine] : engines)
        list.push_back(std::move(engine));
    return list;
}

}  // namespace opsight::importer::tensorrt
