// Databases of nvprof, and what it prints.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::nvprof {

Reader database_reader();
Reader printed_reader();

}  // namespace opsight::importer::nvprof
