// Imports timelines of Horovod (HOROVOD_TIMELINE): each tensor is a row, whose collectives are ops, the time
// until all ranks were ready stands before them, and the steps of a collective inside it.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::horovod {

Result<ImportFacts> import_timeline(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::horovod
