#include "query/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsight {
namespace {

int64_t integer(const duck::Cell& cell, int64_t otherwise) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : otherwise;
}

const char* kind_name(int64_t type) {
    return type == 0 ? "CPU" : type == 1 ? "GPU" : "other";
}

}  // namespace

Result<std::vector<DeviceMemory>> memory_over_time(Session& session) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        session.query(fmt::format(
            "WITH m AS (SELECT t.rank, m.device_type, m.device, m.time_ns, m.bytes, m.total_allocated, "
            "m.total_reserved, m.rowid AS number FROM raw.memory_events m JOIN raw.tracks t ON t.id = "
            "m.track), "
            "known AS (SELECT rank, device_type, device, max(total_allocated) >= 0 AS told FROM m GROUP BY "
            "ALL), "
            "a AS (SELECT m.*, k.told, CASE WHEN k.told THEN nullif(m.total_allocated, -1) ELSE sum(m.bytes) "
            "OVER "
            "(PARTITION BY m.rank, m.device_type, m.device ORDER BY m.time_ns, m.number) END::BIGINT AS "
            "allocated, "
            "nullif(m.total_reserved, -1) AS reserved FROM m JOIN known k ON k.rank = m.rank AND "
            "k.device_type = "
            "m.device_type AND k.device = m.device), "
            "w AS (SELECT min(time_ns) AS b, max(time_ns) AS e FROM m), "
            "p AS (SELECT rank, device_type, device, told, (time_ns - b) * {0} // (e - b + 1) AS part, "
            "arg_max(time_ns, allocated) AS time_ns, max(allocated) AS allocated, max(reserved) AS reserved, "
            "count(*) AS events FROM a, w WHERE allocated IS NOT NULL GROUP BY ALL) "
            "SELECT r.number, p.device_type, p.device, p.told, p.time_ns, p.allocated, p.reserved, p.events "
            "FROM p "
            "LEFT JOIN raw.ranks r ON r.id = p.rank ORDER BY p.rank, p.device_type DESC, p.device, p.part",
            kMemoryPoints)));
    std::vector<DeviceMemory> devices;
    for (const auto& row : rows.rows) {
        const int64_t rank = integer(row[0], 0), device = integer(row[2], -1);
        const std::string kind = kind_name(integer(row[1], 0));
        if (devices.empty() || devices.back().rank != rank || devices.back().kind != kind ||
            devices.back().device != device) {
            devices.emplace_back();
            devices.back().rank = rank;
            devices.back().kind = kind;
            devices.back().device = device;
            devices.back().from_start = !std::get<bool>(row[3]);
        }
        DeviceMemory& memory = devices.back();
        const MemoryPoint point{integer(row[4], 0), integer(row[5], 0), integer(row[6], -1)};
        memory.events += integer(row[7], 0);
        if (memory.points.empty() || point.allocated > memory.peak_allocated) {
            memory.peak_allocated = point.allocated;
            memory.peak_at_ns = point.time_ns;
        }
        memory.peak_reserved = std::max(memory.peak_reserved, point.reserved);
        memory.points.push_back(point);
    }
    return devices;
}

}  // namespace opsight
