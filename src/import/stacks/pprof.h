// Imports CPU profiles in the format of pprof: proto/profile.proto of google/pprof.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::stacks {

// `most`: samples that it may have.
Result<ImportFacts> import_pprof(const OneFile& file, ProfileBuilder& builder, int64_t most);

}  // namespace opsight::importer::stacks
