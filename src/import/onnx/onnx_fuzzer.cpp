// libFuzzer: any bytes as an ONNX model. Whatever comes back must have sizes within bounds.
#include "import/model/model_import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto graph = opsight::importer::import_onnx({reinterpret_cast<const char*>(data), size}, "", {});
    if (!graph) return 0;
    for (const opsight::ModelTensor& tensor : graph->tensors)
        if (tensor.shape_known && !opsight::element_count(tensor.shape)) __builtin_trap();
    return 0;
}
