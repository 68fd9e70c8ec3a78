#include "query/outside_range.h"

#include <fmt/format.h>

#include <vector>

namespace opsight {
namespace {

// Sums of the whole profile beside those of the range.
constexpr const char* kSums =
    "SELECT (SELECT sum(dur_ns) FROM raw.device_spans WHERE kind < 3)::BIGINT, "
    "(SELECT sum(dur_ns) FROM sel_device WHERE kind < 3)::BIGINT, "
    "(SELECT sum(self_cpu_ns) FROM raw.op_stats)::BIGINT, (SELECT sum(self_cpu_ns) FROM sel_stats)::BIGINT, "
    "(SELECT sum(dur_ns) FROM raw.api_calls)::BIGINT, (SELECT sum(dur_ns) FROM sel_api)::BIGINT, "
    "(SELECT count(*) FROM raw.annotations WHERE (flags & 3) = 0), "
    "(SELECT count(*) FROM sel_annotations WHERE (flags & 3) = 0)";

int64_t number(const duck::Cell& cell) {
    const int64_t* value = std::get_if<int64_t>(&cell);
    return value ? *value : 0;
}

}  // namespace

Result<std::string> outside_range(Session& session) {
    if (session.range().whole) return std::string();
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(kSums));
    const auto& row = rows.rows.at(0);
    std::vector<std::string> parts;
    constexpr const char* kTimes[] = {"of the device time", "of the ops' own time", "of the API time"};
    for (size_t i = 0; i < std::size(kTimes); ++i) {
        const int64_t all = number(row[2 * i]), inside = number(row[2 * i + 1]);
        if (all <= inside) continue;
        const double share = 100.0 * static_cast<double>(all - inside) / static_cast<double>(all);
        parts.push_back(share < 0.05 ? fmt::format("under 0.1 % {}", kTimes[i])
                                     : fmt::format("{:.1f} % {}", share, kTimes[i]));
    }
    if (const int64_t all = number(row[6]), inside = number(row[7]); all > inside)
        parts.push_back(fmt::format("{} of {} named ranges", all - inside, all));
    if (parts.empty()) return std::string();
    std::string out = parts[0];
    for (size_t i = 1; i < parts.size(); ++i)
        out += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return "outside of the range lie " + out + "; --whole-run takes all in";
}

}  // namespace opsight
