// Imports results.json of rocprof 1 (rocprof --hip-trace, --hsa-trace, --sys-trace, --roctx-trace): events of
// Chrome whose exact times and facts stand in their arguments as texts, and arrows from calls to their work.
//
// Written by bin/tblextr.py, bin/dform.py and bin/sqlitedb.py of ROCm/rocprofiler.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::rocprof {

// By the first bytes.
bool is_chrome_trace(std::string_view first);

Result<ImportFacts> import_chrome(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::rocprof
