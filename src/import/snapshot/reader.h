// Snapshots of PyTorch's memory.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::snapshot {

Reader snapshot_reader();

}  // namespace opsight::importer::snapshot
