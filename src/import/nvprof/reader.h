// Databases of nvprof.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::nvprof {

Reader database_reader();

}  // namespace opsight::importer::nvprof
