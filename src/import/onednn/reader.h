// Logs of oneDNN's verbose mode.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::onednn {

Reader log_reader();

}  // namespace opsight::importer::onednn
