// Views of the named ranges of a profile and of its device work, wherever the profile came from.
#pragma once

#include <string>

#include "base/duckdb.h"

namespace opsight::query {

// What stands for ranges where a profile has no NVTX: what PyTorch's emit_nvtx would have made ranges of
// (ops, annotations and module calls), or the annotations alone.
enum class Instead : uint8_t { kAllNamed, kAnnotations };

// Makes the views that range_views and the reports share: all_ranges (as st_range below, of the whole
// profile) and st_labels.
Status make_range_views(duck::Connection& connection, Instead instead);
// SQL of the views st_api and st_gpu; `window` are more conditions on their rows, or empty.
std::string work_views_sql(const std::string& window);

}  // namespace opsight::query
