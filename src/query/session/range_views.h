// Views of the named ranges of a profile and of its device work, wherever the profile came from.
#pragma once

#include <cstdint>
#include <optional>

#include "base/duckdb.h"

namespace opsight::query {

// What stands for ranges where a profile has no NVTX: what PyTorch's emit_nvtx would have made ranges of
// (ops, annotations and module calls), or the annotations alone.
enum class Instead : uint8_t { kAllNamed, kAnnotations };

// Makes the views all_ranges (id, track, begin_ns, end_ns, dur_ns, label, style, same_thread: as st_range of
// a Source, of the whole profile) and st_labels.
Status make_range_views(duck::Connection& connection, Instead instead);

// Times of the profile; what touches them is within.
struct Window {
    std::optional<int64_t> begin, end;
};
// Makes the views st_api, st_gpu and st_busy of what touches the window, and the macro in_window.
Status make_work_views(duck::Connection& connection, const Window& window);

}  // namespace opsight::query
