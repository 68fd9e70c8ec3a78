// Timelines of TensorFlow 1's sessions.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::tftimeline {

Reader timeline_reader();

}  // namespace opsight::importer::tftimeline
