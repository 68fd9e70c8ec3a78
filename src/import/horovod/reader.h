// Timelines of Horovod.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::horovod {

Reader timeline_reader();

}  // namespace opsight::importer::horovod
