#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "import/model/model_import.h"
#include "import/onnx/builder.h"

namespace opsight::importer {

Result<ModelGraph> import_onnx(std::string_view bytes, const std::string& folder,
                               const ModelOptions& options) {
    onnx::file::Model model;
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    stream.SetTotalBytesLimit(INT32_MAX);
    if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
        return fail("the file is damaged or no ONNX model", {}, {}, "export the model again");
    if (!model.has_graph() || (model.graph().node_size() == 0 && model.graph().input_size() == 0))
        return fail("the file holds no graph", {}, {}, "give an ONNX model");
    return onnx::Builder(model, folder, options).build();
}

}  // namespace opsight::importer
