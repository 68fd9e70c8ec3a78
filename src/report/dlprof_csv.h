// The reports of query/dlprof.h as the CSV files that DLProf wrote.
#pragma once

#include <string>

#include "query/dlprof.h"

namespace opsight {

std::string render_dlprof_csv(const dlprof::Report& report);

}  // namespace opsight
