// Imports profiles in XPlane form (.xplane.pb), as TensorFlow's and JAX's profilers write them: devices with
// their streams or cores, the programs of XLA, host threads.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::xplane {

// Memory: the largest plane, beside what the builder takes.
Result<ImportFacts> import_profile(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::xplane
