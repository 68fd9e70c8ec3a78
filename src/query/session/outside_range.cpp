#include "query/session/outside_range.h"

#include <fmt/format.h>

#include <vector>

#include "base/percent.h"
#include "query/session/cells.h"
#include "query/session/sql.h"

namespace opsight::query {
namespace {

constexpr double kOutsideWorthSaying = 0.001;  // share of the time

struct Kind {
    const char* time;
    const char* rows;
};
constexpr Kind kTimes[] = {
    {"device time", "pieces of work"}, {"ops' own time", "ops"}, {"API time", "API calls"}};

// "a, b and c".
std::string listed(const std::vector<std::string>& parts) {
    std::string out;
    for (size_t i = 0; i < parts.size(); ++i)
        out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return out;
}

// What the wall clock of the whole run leaves out at its ends as the profiler's own; empty where that is
// little.
Result<std::string> time_of_profiler(Session& session) {
    constexpr double kLeastOfWall = 0.01;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::profiler_time));
    if (rows.rows.empty()) return std::string();
    const int64_t ns = std::get<int64_t>(rows.rows[0][0]), wall = std::get<int64_t>(rows.rows[0][1]);
    if (static_cast<double>(ns) < kLeastOfWall * static_cast<double>(wall)) return std::string();
    const double ms = static_cast<double>(ns) / 1e6;
    return fmt::format(
        "the recording begins or ends with the profiler's own start and stop, {} by its Python frames: "
        "the wall clock does not hold them",
        ms < 1000 ? fmt::format("{:.3f} ms", ms) : fmt::format("{:.3f} s", ms / 1000));
}

}  // namespace

Result<std::string> outside_range(Session& session) {
    if (session.range().whole) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::outside_range));
    const auto at = [&row = rows.rows.at(0)](size_t i) { return integer(row[i]); };
    std::vector<std::string> parts;
    for (size_t i = 0; i < std::size(kTimes); ++i) {
        const int64_t count = at(4 * i), time = at(4 * i + 1);
        const double left =
            static_cast<double>(time - at(4 * i + 3)) / std::max(static_cast<double>(time), 1.0);
        if (left >= kOutsideWorthSaying)
            parts.push_back(fmt::format("{}% of the {} ({} of {} {})", percent_digits(100 * left),
                                        kTimes[i].time, count - at(4 * i + 2), count, kTimes[i].rows));
    }
    const int64_t ranges = at(12), chosen = at(13);
    if (chosen < ranges) parts.push_back(fmt::format("{} of {} named ranges", ranges - chosen, ranges));
    if (parts.empty()) return std::string();
    return "outside of the range lie " + listed(parts) + "; --whole-run takes all in";
}

Result<std::string> beyond_wall_clock(Session& session) {
    if (!session.range().whole) return std::string();
    OPSIGHT_ASSIGN(std::string profiler, time_of_profiler(session));
    if (!profiler.empty()) return profiler;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::beyond_wall_clock));
    if (rows.rows.empty()) return std::string();
    const auto seconds = [&row = rows.rows[0]](size_t i) {
        return static_cast<double>(integer(row[i])) / 1e9;
    };
    constexpr double kLongBeside = 0.05;  // share of the wall clock
    std::vector<std::string> parts;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (seconds(i) >= kLongBeside * seconds(2))
            parts.push_back(fmt::format("{:.3f} s {} it", seconds(i), i == 0 ? "before" : "after"));
    if (parts.empty()) return std::string();
    return "the wall clock lasts from the first to the last op, API call, range or work of a device; for " +
           listed(parts) +
           (std::get<bool>(rows.rows[0][3]) ? " only system and library calls were recorded"
                                            : " only the profiler's own work was recorded");
}

}  // namespace opsight::query
