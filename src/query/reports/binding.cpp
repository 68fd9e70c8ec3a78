#include "query/reports/binding.h"

#include <fmt/format.h>

#include "base/percent.h"
#include "query/reports/sql.h"

namespace opsight::query {

std::string Binding::sort_key(std::string_view report) const {
    return report == "group_op" ? "total_cpu_time_ns" : "self_cpu_time_ns";
}

Result<Binding> what_binds(Session& session) {
    Binding out;
    if (!session.contents().device_work) return out;
    OPSIGHT_TRY(session.prepare(reports::sql::resource_time));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::device_at_work));
    const double* at_work = std::get_if<double>(&rows.rows.at(0)[0]);
    if (!at_work) return out;
    constexpr double kHalf = 50;
    out.host = *at_work < kHalf;
    out.words = fmt::format("a device was at work for {} of the wall clock: rows go by time on {}",
                            percent_digits(*at_work) + "%", out.host ? "the CPU" : "the GPU");
    return out;
}

Result<bool> ranges_explain(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::ranges_explain));
    const bool* explain = std::get_if<bool>(&rows.rows.at(0)[0]);
    return explain && *explain;
}

}  // namespace opsight::query
