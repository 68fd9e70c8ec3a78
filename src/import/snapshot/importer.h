// Imports snapshots of PyTorch's memory (torch.cuda.memory._dump_snapshot): what was allocated and freed on
// each device, by which lines of the program, and what was held in the end.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::snapshot {

Result<ImportFacts> import_snapshot(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::snapshot
