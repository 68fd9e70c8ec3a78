// Types, sizes and small values of the tensors in a TensorFlow graph.
#pragma once

#include "import/graphdef/graphdef.pb.h"
#include "model/model_graph.h"

namespace opsight::importer::graphdef {

namespace file = opsight::tf_file;

// Of a reference the type that it refers to; kUnknown for resources and variants.
ElementType element_type(file::DataType type);

// Shape, type, and the values where the tensor is small.
Result<ModelTensor> read_tensor(const file::TensorProto& from, const std::string& name);

}  // namespace opsight::importer::graphdef
