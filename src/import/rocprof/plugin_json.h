// Imports what the JSON plugin of rocprofv2 wrote (rocprofv2 --plugin json): events of Chrome in whole us, in
// four rows.
//
// Written by plugin/json/json.cpp of ROCm/rocprofiler.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::rocprof {

// By the first bytes.
bool is_plugin_json(std::string_view first);

Result<ImportFacts> import_plugin_json(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::rocprof
