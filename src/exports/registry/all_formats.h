// What `opsight export` can write, in the order of its help.
#pragma once

#include <vector>

#include "exports/format/format.h"

namespace opsight::exports {

const std::vector<Format>& all_formats();

}  // namespace opsight::exports
