// Databases of DLProf.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::dlprof {

Reader database_reader();

}  // namespace opsight::importer::dlprof
