#include "query/stream_sums.h"

#include <fmt/format.h>

#include "analyze/streams.h"

namespace opsight {
namespace {

int64_t number_at(const std::vector<duck::Cell>& row, size_t column) {
    const int64_t* value = std::get_if<int64_t>(&row[column]);
    return value ? *value : -1;
}

Result<std::vector<StreamSpan>> stored_spans(duck::Connection& connection, const std::string& iterations) {
    OPSIGHT_ASSIGN(
        const duck::Rows rows,
        connection.query(fmt::format(
            "SELECT s.track, s.begin_ns, s.dur_ns, s.host_ns, s.launch >= 0, CASE WHEN s.host_ns < i.end_ns "
            "THEN i.number ELSE -1 END, coalesce(c.occupancy_pct, -1) FROM (SELECT d.*, t.rank AS of_rank "
            "FROM "
            "raw.device_spans d JOIN raw.tracks t ON t.id = d.track WHERE d.kind < 3 OR d.kind = 6) s "
            "ASOF LEFT JOIN {} i ON i.rank = s.of_rank AND s.host_ns >= i.begin_ns "
            "LEFT JOIN raw.launch_configs c ON s.kind = 0 AND c.id = s.config ORDER BY s.track, s.begin_ns",
            iterations)));
    std::vector<StreamSpan> spans;
    spans.reserve(rows.rows.size());
    for (const auto& row : rows.rows) {
        const double* occupancy = std::get_if<double>(&row[6]);
        const bool* launched = std::get_if<bool>(&row[4]);
        spans.push_back({TrackId(static_cast<size_t>(number_at(row, 0))), number_at(row, 1),
                         number_at(row, 2), number_at(row, 3), launched && *launched,
                         static_cast<int32_t>(number_at(row, 5)), occupancy ? *occupancy : -1});
    }
    return spans;
}

}  // namespace

Status sum_stored_streams(duck::Connection& connection, const std::string& iterations,
                          const std::string& name) {
    OPSIGHT_ASSIGN(const std::vector<StreamSpan> spans, stored_spans(connection, iterations));
    OPSIGHT_TRY(
        connection.execute(fmt::format("CREATE TEMP TABLE {} AS FROM raw.stream_stats LIMIT 0", name)));
    std::string values;
    for (const StreamStats& s : sum_streams(spans))
        values +=
            fmt::format("{}({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})", values.empty() ? "" : ", ",
                        s.stream.value, s.iteration, s.spans, s.busy_ns, s.host_wait_ns, s.kernel_wait_ns,
                        s.other_wait_ns, s.queued_ns, s.queue_max, s.occupancy_pct_ns, s.occupancy_known_ns);
    if (values.empty()) return {};
    return connection.execute(fmt::format("INSERT INTO {} VALUES {}", name, values));
}

}  // namespace opsight
