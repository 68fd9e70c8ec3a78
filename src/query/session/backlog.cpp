#include "query/session/backlog.h"

#include <fmt/format.h>

#include "query/session/sql.h"

namespace opsight::query {
namespace {

constexpr double kWorthSaying = 0.05;  // share of the wall clock

}  // namespace

Result<std::string> backlog_of_range(Session& session) {
    if (session.range().whole || !session.contents().device_work) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(session::sql::backlog));
    if (rows.rows.empty()) return std::string();
    const auto number = [&rows](size_t i) { return std::get<int64_t>(rows.rows[0][i]); };
    const int64_t rank = number(0), backlog = number(1), wall = number(2);
    if (static_cast<double>(backlog) < kWorthSaying * static_cast<double>(wall)) return std::string();
    std::string text = fmt::format(
        "when the range begins the device is still at work for {:.3f} ms on what was launched before; the "
        "wall "
        "clock and the average iteration time hold this wait",
        static_cast<double>(backlog) / 1e6);
    OPSIGHT_ASSIGN(const duck::Rows period,
                   session.query(duck::Statement(session::sql::device_period).set("rank", rank)));
    if (const auto* ns = std::get_if<int64_t>(&period.rows.at(0)[0]))
        text += fmt::format("; on the device an iteration begins every {:.3f} ms",
                            static_cast<double>(*ns) / 1e6);
    return text;
}

}  // namespace opsight::query
