#include "import/model/model_import.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "base/byte_source.h"

namespace opsight::importer {
namespace {

namespace fs = std::filesystem;

// Protobuf counts bytes in 32 bits; a model over that cannot have been written as one message.
Result<std::string> read_all(const std::string& path) {
    std::error_code problem;
    // Some have no end.
    if (fs::is_character_file(path, problem))
        return fail("is not a file, but a device", path, {}, "give a model's file, or a pipe of one");
    const uintmax_t size = fs::file_size(path, problem);
    if (!problem && size > INT32_MAX)
        return fail(fmt::format("the file has {:.1f} GiB; a model in one file has at most 2 GiB",
                                static_cast<double>(size) / (1 << 30)),
                    path, {}, "export it with its weights as external data");
    OPSIGHT_ASSIGN(const std::unique_ptr<ByteSource> source, open_file(path));
    std::string bytes;
    constexpr size_t kStep = 1 << 20;
    for (size_t used = 0;;) {
        bytes.resize(used + kStep);
        OPSIGHT_ASSIGN(const size_t got, read_fully(*source, bytes.data() + used, kStep));
        used += got;
        if (used > INT32_MAX) return fail("the input is over 2 GiB, more than a model in one file has", path);
        if (got == kStep) continue;
        bytes.resize(used);
        return bytes;
    }
}

// An ONNX file begins with the version of its format; a SavedModel with version 1 and the field after it.
bool begins_as_onnx(std::string_view bytes) {
    return bytes.size() > 2 && bytes[0] == 0x08 && !(bytes[1] == 0x01 && bytes[2] == 0x12);
}

Result<ModelGraph> import_bytes(std::string_view bytes, const std::string& folder,
                                const ModelOptions& options) {
    if (!begins_as_onnx(bytes)) {
        OPSIGHT_ASSIGN(std::optional<ModelGraph> module, import_hlo(bytes));
        if (module) return std::move(*module);
        OPSIGHT_ASSIGN(std::optional<ModelGraph> graph, import_graphdef(bytes, options));
        if (graph) return std::move(*graph);
    }
    // Records of TensorBoard begin with their length, then hold a version.
    if (bytes.substr(0, 64).find("brain.Event:") != std::string_view::npos)
        return fail("the file holds TensorBoard's events, not a model", {}, {},
                    "give the model's own file: ONNX, GraphDef or SavedModel");
    return import_onnx(bytes, folder, options);
}

// A SavedModel is a folder. What is in it was put there by whoever sent it: a pipe would be waited for.
Result<std::string> file_of(const std::string& path) {
    std::error_code problem;
    if (!fs::is_directory(path, problem)) return path;
    for (const char* name : {"saved_model.pb", "saved_model.pbtxt"})
        if (fs::is_regular_file(fs::path(path) / name, problem)) return (fs::path(path) / name).string();
    return fail("the folder holds no saved_model.pb", path, {}, "give a model file or a SavedModel's folder");
}

}  // namespace

Result<ModelGraph> import_model(const std::string& given, const ModelOptions& options) {
    OPSIGHT_ASSIGN(const std::string path, file_of(given));
    OPSIGHT_ASSIGN(const std::string bytes, read_all(path));
    if (bytes.empty())
        return fail("the file is empty", path, {},
                    "give an ONNX model, a GraphDef, a SavedModel or an HLO module");
    Result<ModelGraph> graph = import_bytes(bytes, (fs::path(path).parent_path() / ".").string(), options);
    if (!graph) {
        graph.error().file = path;
        return graph;
    }
    if (graph->name.empty())
        graph->name = (path == given ? fs::path(path).stem() : fs::path(given).filename()).string();
    return graph;
}

}  // namespace opsight::importer
