// Profiles of TensorFlow and JAX in XPlane form.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::xplane {

Reader profile_reader();

}  // namespace opsight::importer::xplane
