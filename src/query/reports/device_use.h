// Which devices the recorded processes worked on, and how much of the wall clock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "query/reports/reports.h"

namespace opsight::query {

// The table of devices and their use; device_use() of reports.h adds what devices are. Others read the
// relations used_devices and physical_devices (sql/used_devices.sql), which they prepare.
Result<ResultTable> device_list(Session& session);

// Launches of kernels whose device work the profile lacks, of the whole profile.
struct LostLaunches {
    int64_t launches = 0, kernels = 0;  // and the kernels that it has
    bool truncated = false;             // a source is cut: anything of any time may be missing
    double pct() const {
        return launches > 0 ? 100.0 * static_cast<double>(launches) / static_cast<double>(launches + kernels)
                            : 0;
    }
};
Result<LostLaunches> lost_launches(Session& session);
// What that makes of the numbers; none where it is less than a hundredth of them, or all.
Result<std::vector<std::string>> lost_work_notes(Session& session);
// That the clocks of devices and host disagree, where a tenth of the device work or more begins before it was
// launched.
Result<std::string> clocks_note(Session& session);

// Why there is no device work to show: none was recorded, or what was launched is not in the source.
std::string_view without_device_work(const Session& session);

// What a reader must know of devices that did nothing here; empty where there are none.
Result<std::string> unused_devices_note(Session& session);
// Which devices worked for several ranks; empty where none did.
Result<std::string> shared_devices_note(Session& session);

}  // namespace opsight::query
