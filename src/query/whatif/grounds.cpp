#include "query/whatif/grounds.h"

#include <fmt/format.h>

#include "query/session/cells.h"
#include "query/whatif/sql.h"

namespace opsight::query {

Result<Grounds> grounds_of_replay(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(whatif::sql::grounds));
    const auto& row = rows.rows.at(0);
    const int64_t work_ns = integer(row[1]), launched_ns = integer(row[2]);
    Grounds found;
    if (flag(row[0]))
        found.lacks = "the source tells how long its work took and not when";
    else if (integer(row[3]) > 0 && integer(row[4]) == 0)
        found.lacks =
            "no launch of the devices' work was recorded, so what waited for what, the host or a device, is "
            "not known";
    else if (!session.contents().device_work && session.contents().work_lost)
        found.lacks =
            "work was launched on a device and none of it was recorded, so what waited for it is not known";
    found.ranks_wait = flag(row[5]);
    if (work_ns > 0)
        found.unlaunched_pct =
            100.0 * static_cast<double>(work_ns - launched_ns) / static_cast<double>(work_ns);
    return found;
}

void add_note_of_unlaunched(double unlaunched_pct, std::vector<std::string>& notes) {
    constexpr double kMuch = 10;
    if (unlaunched_pct < kMuch) return;
    notes.push_back(
        fmt::format("{:.1f} % of the device work's time has no recorded launch: the path holds it only where "
                    "other work waits for it, and may be too much the host's",
                    unlaunched_pct));
}

}  // namespace opsight::query
