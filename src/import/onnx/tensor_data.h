// Types, sizes and small values of the tensors that an ONNX file stores.
#pragma once

#include <string>

#include "import/onnx/onnx.pb.h"
#include "model/model_graph.h"

namespace opsight::importer::onnx {

namespace file = opsight::onnx_file;

ElementType element_type(int32_t data_type);

// Shape, type, and the values where the tensor is small. `folder`: see import_onnx.
Result<ModelTensor> read_tensor(const file::Tensor& tensor, const std::string& folder);

}  // namespace opsight::importer::onnx
