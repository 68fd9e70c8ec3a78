// Traces of Perfetto in protobuf.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::perfetto {

Reader trace_reader();

}  // namespace opsight::importer::perfetto
