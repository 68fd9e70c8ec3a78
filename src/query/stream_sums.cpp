#include "query/stream_sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/streams.h"

namespace opsight {
namespace {

int64_t number_at(const std::vector<duck::Cell>& row, size_t column) {
    const int64_t* value = std::get_if<int64_t>(&row[column]);
    return value ? *value : -1;
}

// Values of a small table by id.
Result<std::vector<duck::Cell>> values_by_id(duck::Connection& connection, const std::string& sql) {
    OPSIGHT_ASSIGN(const duck::Rows rows, connection.query(sql));
    std::vector<duck::Cell> values;
    for (const auto& row : rows.rows) {
        const auto id = static_cast<size_t>(std::max<int64_t>(0, number_at(row, 0)));
        if (id >= values.size()) values.resize(id + 1);
        values[id] = row[1];
    }
    return values;
}

const duck::Cell* value_of(const std::vector<duck::Cell>& values, int64_t id) {
    return static_cast<uint64_t>(id) < values.size() ? &values[static_cast<size_t>(id)] : nullptr;
}

// All work of the profile in stored order, which is by (stream, begin); of iteration 0 where it is chosen,
// else -1.
Result<std::vector<StreamSpan>> stored_spans(duck::Connection& connection, const ChosenIterations& chosen) {
    OPSIGHT_ASSIGN(const auto ranks, values_by_id(connection, "SELECT id, rank FROM raw.tracks"));
    OPSIGHT_ASSIGN(const auto occupancies,
                   values_by_id(connection, "SELECT id, occupancy_pct::DOUBLE FROM raw.launch_configs"));
    std::vector<StreamSpan> spans;
    const auto take = [&](const duck::Batch& batch) {
        const auto* track = batch.column<int32_t>(0);
        const auto *begin = batch.column<int64_t>(1), *dur = batch.column<int64_t>(2),
                   *host = batch.column<int64_t>(3);
        const auto *launch = batch.column<int32_t>(4), *config = batch.column<int32_t>(5);
        for (size_t i = 0; i < batch.size(); ++i) {
            const auto* rank = std::get_if<int64_t>(value_of(ranks, track[i]));
            const auto* occupancy = std::get_if<double>(value_of(occupancies, config[i]));
            spans.push_back({TrackId(static_cast<size_t>(track[i])), begin[i], dur[i], host[i],
                             launch[i] >= 0, rank && chosen.at(*rank, host[i]) ? 0 : -1,
                             occupancy ? *occupancy : -1});
        }
    };
    OPSIGHT_TRY(connection.scan(
        "SELECT track::INTEGER, begin_ns::BIGINT, dur_ns::BIGINT, host_ns::BIGINT, launch::INTEGER, "
        "(CASE WHEN kind = 0 THEN config ELSE -1 END)::INTEGER FROM raw.device_spans "
        "WHERE kind < 3 OR kind = 6",
        take));
    return spans;
}

}  // namespace

Status sum_stored_streams(duck::Connection& connection, const ChosenIterations& chosen, int64_t iteration,
                          const std::string& name) {
    OPSIGHT_ASSIGN(const std::vector<StreamSpan> spans, stored_spans(connection, chosen));
    OPSIGHT_TRY(
        connection.execute(fmt::format("CREATE TEMP TABLE {} AS FROM raw.stream_stats LIMIT 0", name)));
    for (const StreamStats& s : sum_streams(spans)) {
        if (s.iteration < 0) continue;
        OPSIGHT_TRY(connection.execute(fmt::format(
            "INSERT INTO {} VALUES ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})", name, s.stream.value,
            iteration, s.spans, s.busy_ns, s.host_wait_ns, s.kernel_wait_ns, s.other_wait_ns, s.queued_ns,
            s.queue_max, s.occupancy_pct_ns, s.occupancy_known_ns)));
    }
    return {};
}

}  // namespace opsight
