#include "query/reports/memory.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

using Key = std::array<int64_t, 3>;  // rank, device type, device

Result<std::map<Key, DeviceMemory::Peaks>> peaks_in_range(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::memory_peaks));
    std::map<Key, DeviceMemory::Peaks> found;
    for (const auto& row : rows.rows)
        found[{integer(row[0], 0), integer(row[1], 0), integer(row[2], -1)}] = {
            integer(row[3], 0), integer(row[4], -1), integer(row[5], -1), integer(row[6], -1)};
    return found;
}

void take(DeviceMemory& memory, const MemoryPoint& point, int64_t events) {
    DeviceMemory::Peaks& peaks = memory.whole;
    peaks.events += events;
    if (memory.points.empty() || point.allocated > peaks.allocated) {
        peaks.allocated = point.allocated;
        peaks.at_ns = point.time_ns;
    }
    peaks.reserved = std::max(peaks.reserved, point.reserved);
    memory.points.push_back(point);
}

}  // namespace

Result<std::vector<DeviceMemory>> memory_over_time(Session& session) {
    OPSIGHT_TRY(session.prepare(reports::sql::memory_held));
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(reports::sql::memory_points).set("points", kMemoryPoints)));
    OPSIGHT_ASSIGN(const auto in_range, peaks_in_range(session));
    std::vector<DeviceMemory> devices;
    std::optional<Key> last;
    for (const auto& row : rows.rows) {
        const Key key = {integer(row[8], 0), integer(row[1], 0), integer(row[2], -1)};
        if (last != key) {
            DeviceMemory& memory = devices.emplace_back();
            memory.rank = integer(row[0], 0);
            memory.kind = std::get<std::string>(row[9]);
            memory.device = key[2];
            memory.from_start = !std::get<bool>(row[3]);
            if (const auto found = in_range.find(key); found != in_range.end()) memory.range = found->second;
        }
        last = key;
        take(devices.back(), {integer(row[4], 0), integer(row[5], 0), integer(row[6], -1)},
             integer(row[7], 0));
    }
    for (DeviceMemory& memory : devices)
        if (session.range().whole) memory.range = memory.whole;
    return devices;
}

}  // namespace opsight::query
