// Traces of Chrome (Trace Event Format), with the words of PyTorch's: what reads those reads these.
#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

Format chrome_format();

}  // namespace opsight::exports
