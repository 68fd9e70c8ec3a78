// What `opsight profile` recorded.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::capture {

Reader recording_reader();

}  // namespace opsight::importer::capture
