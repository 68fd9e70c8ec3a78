#include "query/reports/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

constexpr size_t kMostNotes = 3;

using Key = std::array<int64_t, 3>;  // rank, device type, device

Result<std::map<Key, DeviceMemory::Peaks>> peaks_in_range(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::peaks_in_range));
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
        DeviceMemory& memory = devices.back();
        memory.anew_after_pauses |= memory.from_start && std::get<bool>(row[10]);
        last = key;
        take(memory, {integer(row[4], 0), integer(row[5], 0), integer(row[6], -1)}, integer(row[7], 0));
    }
    for (DeviceMemory& memory : devices)
        if (session.range().whole) memory.range = memory.whole;
    return devices;
}

Result<std::vector<MemoryPause>> memory_pauses(Session& session) {
    OPSIGHT_TRY(session.prepare(reports::sql::memory_held));
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(reports::sql::memory_pauses).set("points", kMemoryPoints)));
    std::vector<MemoryPause> pauses;
    for (const auto& row : rows.rows)
        pauses.push_back({integer(row[0], 0), integer(row[1]), integer(row[2])});
    return pauses;
}

Result<ResultTable> peak_memory(Session& session) {
    OPSIGHT_TRY(session.prepare(reports::sql::memory_held));
    Question q{"peak_memory", "Peak Memory"};
    q.columns = {{"rank", "Rank", Unit::kCount, 0, Role::kId},
                 {"device_type", "Device Type", Unit::kNone, 0, Role::kDeviceType},
                 {"device", "Device ID", Unit::kCount, 0, Role::kId},
                 {"allocated_bytes", "Peak Allocated (bytes)", Unit::kBytes},
                 {"reserved_bytes", "Peak Reserved (bytes)", Unit::kBytes}};
    q.rows = reports::sql::peak_memory;
    q.order = {{"rank", false}, {"device_type", true}, {"device", false}};
    return ask(session, q, {});
}

Result<std::string> added_up_note(Session& session) {
    OPSIGHT_TRY(session.prepare(reports::sql::memory_held));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::memory_added_up));
    if (!std::get<bool>(rows.rows.at(0)[0])) return "";
    return fmt::format(
        "memory is told by its changes, not as totals: peaks add them up from the first one on{}, and "
        "what was allocated before is in none",
        std::get<bool>(rows.rows[0][1]) ? ", and anew after each pause of the recording" : "");
}

Result<std::vector<std::string>> out_of_memory_notes(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::out_of_memory));
    std::vector<std::string> notes;
    for (const auto& row : rows.rows) {
        if (notes.size() == kMostNotes) {
            notes.push_back(fmt::format("and {} other ends of memory", rows.rows.size() - kMostNotes));
            break;
        }
        const int64_t times = integer(row[1]);
        notes.push_back(fmt::format("{}{}", std::get<std::string>(row[0]),
                                    times > 1 ? fmt::format(" ({} times)", times) : ""));
    }
    return notes;
}

Result<ResultTable> held_at_peak(Session& session, const TableShape& shape) {
    OPSIGHT_TRY(session.prepare(reports::sql::memory_held));
    OPSIGHT_TRY(session.prepare(reports::sql::ops_of_events));
    OPSIGHT_TRY(session.prepare(reports::sql::memory_at_peak));
    Question q{"memory_peak", "Memory at the Peak"};
    q.columns = {{"rank", "Rank", Unit::kCount, 0, Role::kId},
                 {"device_type", "Device Type", Unit::kNone, 0, Role::kDeviceType},
                 {"device", "Device ID", Unit::kCount, 0, Role::kId},
                 {"holder_name", "Who Asked"},
                 {"bytes", "Held (bytes)", Unit::kBytes},
                 {"share_pct", "Of the Peak (%)", Unit::kPercent},
                 {"allocations", "Allocations", Unit::kCount, 2},
                 {"largest_bytes", "Largest (bytes)", Unit::kBytes, 2},
                 {"op_id", "Op ID", Unit::kCount, 4, Role::kId},
                 {"op_name", "Op Name", Unit::kNone, 3},
                 {"direction", "Direction", Unit::kNone, 1, Role::kDirection},
                 {"layer", "Layer", Unit::kNone, 2},
                 {"stack", "Call Stack", Unit::kNone, 20, Role::kStack}};
    q.rows = reports::sql::memory_peak;
    q.order = {{"bytes", true},        {"rank", false},  {"device", false},
               {"holder_name", false}, {"op_id", false}, {"stack", false}};
    return ask(session, q, shape);
}

}  // namespace opsight::query
