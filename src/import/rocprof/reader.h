// Results of rocprofv3: JSON, and databases.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::rocprof {

Reader results_reader();
Reader database_reader();

}  // namespace opsight::importer::rocprof
