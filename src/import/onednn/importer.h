// Imports logs of oneDNN's verbose mode, of every version from MKL-DNN 0.x to oneDNN 3: each primitive that
// was executed or created is an op.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::onednn {

Result<ImportFacts> import_log(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::onednn
