// Which device spans are work; the same words as in SQL (db/sql_names.h).
#pragma once

#include <string>

#include "model/profile.h"

namespace opsight::analyze {

// Kernels, copies and sets.
constexpr bool is_work(DeviceKind kind) {
    return kind == DeviceKind::kKernel || kind == DeviceKind::kMemcpy || kind == DeviceKind::kMemset;
}
// Work, and graphs that were recorded as a whole.
constexpr bool is_busy(DeviceKind kind) {
    return is_work(kind) || kind == DeviceKind::kGraph;
}

// Counts a diagnostic of a device span, with its begin and name.
inline void note_span(Profile& profile, Diag diag, size_t span) {
    Diagnostics& d = profile.diagnostics;
    if (!d.wants_place(diag)) return d.add(diag);
    d.add(diag,
          {{}, -1, profile.device.begin[span], std::string(profile.strings.view(profile.device.name[span]))});
}

}  // namespace opsight::analyze
