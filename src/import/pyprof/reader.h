// What PyProf makes of a database of nvprof.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::pyprof {

Reader output_reader();

}  // namespace opsight::importer::pyprof
