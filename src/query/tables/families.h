// All that can be asked for by name, of every style.
#pragma once

#include <vector>

#include "query/ask/registry.h"

namespace opsight::query {

// Opsight's own reports, those of DLProf, the reports and the rules of nsys, and the viewer's tables.
const std::vector<const Family*>& families();

}  // namespace opsight::query
