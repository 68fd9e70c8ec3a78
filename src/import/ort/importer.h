// Imports profiles of ONNX Runtime (SessionOptions.enable_profiling): nodes as ops with their shapes, the
// kernels that they launched, runs of the model as iterations.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::ort {

Result<ImportFacts> import_profile(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::ort
