#include "import/model/model_import.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "base/byte_source.h"

namespace opsight {
namespace {

namespace fs = std::filesystem;

// Protobuf counts bytes in 32 bits; a model over that cannot have been written as one message.
Result<std::string> read_all(const std::string& path) {
    std::error_code problem;
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

}  // namespace

Result<ModelGraph> import_model(const std::string& path, const ModelOptions& options) {
    OPSIGHT_ASSIGN(const std::string bytes, read_all(path));
    if (bytes.empty()) return fail("the file is empty", path, {}, "give an ONNX model");
    Result<ModelGraph> graph = import_onnx(bytes, (fs::path(path).parent_path() / ".").string(), options);
    if (!graph) {
        graph.error().file = path;
        return graph;
    }
    if (graph->name.empty()) graph->name = fs::path(path).stem().string();
    return graph;
}

}  // namespace opsight
