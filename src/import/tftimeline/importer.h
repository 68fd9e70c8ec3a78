// Imports timelines that TensorFlow 1 made of RunMetadata (client/timeline.py): one run of a session, or
// several whose events somebody merged.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::tftimeline {

Result<ImportFacts> import_timeline(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::tftimeline
