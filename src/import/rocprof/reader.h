// Results of rocprofv3.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::rocprof {

Reader results_reader();

}  // namespace opsight::importer::rocprof
