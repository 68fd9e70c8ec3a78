// Profiles of ONNX Runtime.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::ort {

Reader profile_reader();

}  // namespace opsight::importer::ort
