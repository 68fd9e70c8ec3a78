// Which devices the recorded processes worked on, and how much of the wall clock.
#pragma once

#include <string>
#include <string_view>

#include "query/reports/reports.h"

namespace opsight::query {

// The table of devices and their use; device_use() of reports.h adds what devices are. Others read the
// relation used_devices (sql/used_devices.sql), which they prepare.
Result<ResultTable> device_list(Session& session);

// What a reader must know of devices that did nothing here; empty where there are none.
Result<std::string> unused_devices_note(Session& session);

}  // namespace opsight::query
