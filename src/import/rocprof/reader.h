// Results of rocprofv3: JSON, and databases; traces of rocprof 1 and 2.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::rocprof {

Reader chrome_reader();
Reader plugin_reader();
Reader results_reader();
Reader database_reader();

}  // namespace opsight::importer::rocprof
