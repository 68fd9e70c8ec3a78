#include "query/reports/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "query/session/cells.h"

namespace opsight::query {
namespace {

constexpr std::array<int64_t, 4> kGpuTypes = {1, 6, 12, 13};

// Every event with the level after it and until when it holds.
constexpr const char* kLevels =
    "WITH m AS (SELECT t.rank, m.device_type, m.device, m.time_ns, m.bytes, m.total_allocated, "
    "m.total_reserved, m.rowid AS number FROM raw.memory_events m JOIN raw.tracks t ON t.id = m.track), "
    "known AS (SELECT rank, device_type, device, max(total_allocated) >= 0 AS told FROM m GROUP BY ALL), "
    "a AS (SELECT m.rank, m.device_type, m.device, m.time_ns, k.told, CASE WHEN k.told THEN "
    "nullif(m.total_allocated, -1) ELSE sum(m.bytes) OVER w END::BIGINT AS allocated, "
    "nullif(m.total_reserved, -1) AS reserved, lead(m.time_ns) OVER w AS until FROM m JOIN known k ON k.rank "
    "= m.rank AND k.device_type = m.device_type AND k.device = m.device WINDOW w AS (PARTITION BY m.rank, "
    "m.device_type, m.device ORDER BY m.time_ns, m.number)) ";

using Key = std::array<int64_t, 3>;  // rank, device type, device

Result<std::map<Key, DeviceMemory::Peaks>> peaks_in_range(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(
            std::string(kLevels) +
            ", r AS (SELECT a.*, greatest(a.time_ns, w.begin_ns) AS at_ns, a.time_ns >= w.begin_ns AS "
            "inside FROM a JOIN sel_wall w ON w.rank = a.rank AND a.time_ns < w.end_ns AND (a.until IS "
            "NULL OR a.until > w.begin_ns)) SELECT rank, device_type, device, count(*) FILTER (WHERE "
            "inside), max(allocated), first(at_ns ORDER BY allocated DESC, at_ns) FILTER (WHERE "
            "allocated IS NOT NULL), max(reserved) FROM r GROUP BY ALL"));
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

const char* memory_kind(int64_t device_type) {
    if (device_type == 0) return "CPU";
    return std::find(kGpuTypes.begin(), kGpuTypes.end(), device_type) != kGpuTypes.end() ? "GPU" : "other";
}

std::string memory_kind_sql(std::string_view column) {
    return fmt::format("CASE WHEN {0} = 0 THEN 'CPU' WHEN {0} IN ({1}) THEN 'GPU' ELSE 'other' END", column,
                       fmt::join(kGpuTypes, ", "));
}

Result<std::vector<DeviceMemory>> memory_over_time(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(
            kLevels +
            fmt::format(", w AS (SELECT min(time_ns) AS b, max(time_ns) AS e FROM m), "
                        "p AS (SELECT rank, device_type, device, told, (time_ns - b) * {0} // (e - b + "
                        "1) AS part, arg_max(time_ns, allocated) AS time_ns, max(allocated) AS "
                        "allocated, max(reserved) AS reserved, count(*) AS events FROM a, w WHERE "
                        "allocated IS NOT NULL GROUP BY ALL) SELECT r.number, p.device_type, p.device, "
                        "p.told, p.time_ns, p.allocated, p.reserved, p.events, p.rank FROM p LEFT JOIN "
                        "raw.ranks r ON r.id = p.rank ORDER BY p.rank, p.device_type DESC, p.device, "
                        "p.part",
                        kMemoryPoints)));
    OPSIGHT_ASSIGN(const auto in_range, peaks_in_range(session));
    std::vector<DeviceMemory> devices;
    std::optional<Key> last;
    for (const auto& row : rows.rows) {
        const Key key = {integer(row[8], 0), integer(row[1], 0), integer(row[2], -1)};
        if (last != key) {
            DeviceMemory& memory = devices.emplace_back();
            memory.rank = integer(row[0], 0);
            memory.kind = memory_kind(key[1]);
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
