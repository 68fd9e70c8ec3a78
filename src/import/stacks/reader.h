// CPU samples that others have summed by stack.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer::stacks {

Reader folded_reader();
Reader pprof_reader();

}  // namespace opsight::importer::stacks
