// The reports of query/dlprof/dlprof.h as the CSV files that DLProf wrote.
#pragma once

#include <string>

#include "query/dlprof/dlprof.h"

namespace opsight::report {

std::string render_dlprof_csv(const query::dlprof::Report& report);

}  // namespace opsight::report
