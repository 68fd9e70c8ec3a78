#include "query/session/backlog.h"

#include <fmt/format.h>

#include "query/session/sql.h"

namespace opsight::query {
namespace {

constexpr double kWorthSaying = 0.05;  // share of the wall clock

bool worth_saying(int64_t ns, int64_t wall_ns) {
    return static_cast<double>(ns) >= kWorthSaying * static_cast<double>(wall_ns);
}

std::string milliseconds(int64_t ns) {
    return fmt::format("{:.3f} ms", static_cast<double>(ns) / 1e6);
}

std::string period_of_device(const duck::Rows& period) {
    const auto* ns = std::get_if<int64_t>(&period.rows.at(0)[0]);
    return ns ? fmt::format("; on the device an iteration begins every {}", milliseconds(*ns))
              : std::string();
}

Result<std::string> work_before_the_range(Session& session) {
    if (session.range().whole) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::backlog));
    if (rows.rows.empty()) return std::string();
    const auto number = [&rows](size_t i) { return std::get<int64_t>(rows.rows[0][i]); };
    const int64_t rank = number(0), backlog = number(1), wall = number(2);
    if (!worth_saying(backlog, wall)) return std::string();
    std::string text = fmt::format(
        "when the range begins the device is not through with what was launched before, which ends {} later; "
        "the wall clock and the average iteration time hold this wait",
        milliseconds(backlog));
    OPSIGHT_ASSIGN(const duck::Rows period,
                   session.query(duck::Statement(session::sql::device_period).set("rank", rank)));
    return text + period_of_device(period);
}

Result<std::string> work_before_the_recording(Session& session) {
    OPSIGHT_TRY(session.prepare(session::sql::first_work_waits));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::longest_first_wait));
    if (rows.rows.empty()) return std::string();
    const int64_t wait = std::get<int64_t>(rows.rows[0][0]), wall = std::get<int64_t>(rows.rows[0][1]);
    if (!worth_saying(wait, wall)) return std::string();
    return fmt::format(
        "the first work of a stream was launched, and for {} of the wall clock no recorded work of the "
        "device ran before it: what the device did until then was not recorded, most likely work from "
        "before the recording; its utilization is a lower bound, and iterations may take less time than "
        "shown",
        milliseconds(wait));
}

}  // namespace

Result<std::string> backlog_of_range(Session& session) {
    if (!session.contents().device_work) return std::string();
    OPSIGHT_ASSIGN(std::string before_range, work_before_the_range(session));
    if (!before_range.empty()) return before_range;
    return work_before_the_recording(session);
}

Result<std::string> tail_of_range(Session& session) {
    if (session.range().whole || !session.contents().device_work) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::tail));
    if (rows.rows.empty()) return std::string();
    const auto number = [&rows](size_t i) { return std::get<int64_t>(rows.rows[0][i]); };
    const int64_t tail = number(1), median = number(2), wall = number(3);
    if (2 * tail < median || !worth_saying(tail, wall)) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows period,
                   session.query(duck::Statement(session::sql::device_period).set("rank", number(0))));
    return fmt::format(
               "the last iteration holds {} in which the device finishes what was launched until its end: "
               "the longest iteration and the deviation tell of that, and the shorter ones may launch "
               "more than the device does meanwhile",
               milliseconds(tail)) +
           period_of_device(period);
}

}  // namespace opsight::query
