#include "query/reports/wait_for_work.h"

#include <map>
#include <utility>
#include <vector>

#include "query/reports/activity_times.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

Result<WaitForWork> wait_for_work(Session& session, const std::string& function) {
    std::vector<TimeSpan> frames;
    OPSIGHT_TRY(each_span(session, duck::Statement(reports::sql::times_frames).set("name", function),
                          [&](const TimeSpan& span) { frames.push_back(span); }));
    OPSIGHT_ASSIGN(const TimeSpans waits, within_range(session, std::move(frames)));
    OPSIGHT_ASSIGN(const Occurrences device, times_of(session, Activity::kDevice));
    WaitForWork found{length_of(waits), length_of(common(waits, device.times)), {}, 0};
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(reports::sql::ranges_beside).set("name", function)));
    std::map<std::string, std::vector<TimeSpan>> ranges;
    for (const auto& row : rows.rows)
        ranges[text(row[0])].push_back({integer(row[1]), integer(row[2]), integer(row[3])});
    for (auto& [name, spans] : ranges) {
        OPSIGHT_ASSIGN(const TimeSpans open, within_range(session, std::move(spans)));
        const int64_t ns = length_of(common(waits, open));
        if (ns > found.range_ns) found.range = name, found.range_ns = ns;
    }
    return found;
}

}  // namespace opsight::query
