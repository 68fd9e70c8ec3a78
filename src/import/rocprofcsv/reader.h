// Tables of rocprof: CSV.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::rocprofcsv {

Reader table_reader();

}  // namespace opsight::importer::rocprofcsv
