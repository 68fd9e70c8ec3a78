// Traces of rocmProfileData.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::rpd {

Reader trace_reader();

}  // namespace opsight::importer::rpd
