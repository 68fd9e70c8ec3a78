// Which devices the recorded processes worked on, and how much of the wall clock.
#pragma once

#include <string>
#include <string_view>

#include "query/reports/reports.h"

namespace opsight::query {

// Time of segments `s` that falls into the wall clock `w`.
inline constexpr std::string_view kInsideWall =
    "greatest(0, least(s.end_ns, w.end_ns) - greatest(s.begin_ns, w.begin_ns))";

// Makes the temporary table used_devices (id, rank, number, name, described, worked, wall_ns, busy_ns,
// kernel_ns): a row for each device with work anywhere in the profile, and one for each other that the source
// names, which others may have used meanwhile. `described`: the device whose description holds for it.
Status prepare_device_use(Session& session);

// The rows of used_devices, which must be there; device_use() of reports.h adds what devices are.
Result<ResultTable> device_list(Session& session);

// What a reader must know of devices that did nothing here; empty where there are none.
Result<std::string> unused_devices_note(Session& session);

}  // namespace opsight::query
