// Imports what nvprof prints: traces of launches and calls, summaries, metrics and events, as CSV or text.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::nvprof {

Result<ImportFacts> import_printed(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::nvprof
