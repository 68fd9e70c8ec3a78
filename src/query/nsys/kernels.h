// What the reports on kernels share.
#pragma once

#include "query/nsys/stats.h"

namespace opsight::query::nsys {

// SQL of the name of kernel_names `k` that the arguments ask for.
std::string kernel_name_sql(const Arguments& arguments);

// SQL of the text of "grid" or "block" of launch_configs `c`.
std::string dimensions_sql(std::string_view what);

// A relation of kernels with the columns of st_gpu, and `kernel`, the name that the arguments ask for; with
// nvtx_name it begins with the innermost range at the launch.
Result<std::string> named_kernels(Source& source, const Arguments& arguments);

}  // namespace opsight::query::nsys
