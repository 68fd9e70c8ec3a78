#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

// Lines of "frame;frame;frame ns", as flamegraph.pl and its relatives read them.
Format folded_format();

}  // namespace opsight::exports
