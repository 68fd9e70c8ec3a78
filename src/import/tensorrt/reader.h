// What trtexec and the TensorRT engine explorer export of an engine.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::tensorrt {

Reader export_reader();

}  // namespace opsight::importer::tensorrt
