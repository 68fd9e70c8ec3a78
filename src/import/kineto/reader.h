// Chrome traces as PyTorch (Kineto) writes them.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::kineto {

Reader trace_reader();

// Which other profiler wrote these first bytes of a list of trace events, "ONNX Runtime"; empty: none that is
// known.
std::string foreign_profiler(std::string_view first_bytes);

}  // namespace opsight::importer::kineto
