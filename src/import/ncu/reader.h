// Tables of Nsight Compute.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::ncu {

Reader table_reader();

}  // namespace opsight::importer::ncu
