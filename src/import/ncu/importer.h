// Imports what 'ncu --csv' printed of single launches: one row a launch (page raw) or one a metric (page
// details). Each launch becomes a kernel with its counters.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::ncu {

Result<ImportFacts> import_table(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::ncu
