// The reports of query/dlprof/ as the CSV files that DLProf wrote.
#pragma once

#include <string>

#include "query/ask/report.h"

namespace opsight::report {

std::string render_dlprof_csv(const query::Report& report);

}  // namespace opsight::report
