#include "query/session/stream_sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/streams.h"

namespace opsight::query {
namespace {

// Numbers of a small table by id: columns id (BIGINT) and a value of type T; `otherwise` where there is none.
template <class T>
class ById {
  public:
    static Result<ById> read(duck::Connection& connection, const std::string& sql, T otherwise) {
        ById table;
        table.otherwise_ = otherwise;
        OPSIGHT_TRY(connection.scan(sql, [&table, otherwise](const duck::Batch& batch) {
            for (size_t i = 0; i < batch.size(); ++i) {
                const auto id = static_cast<size_t>(std::max<int64_t>(0, batch.column<int64_t>(0)[i]));
                if (id >= table.values_.size()) table.values_.resize(id + 1, otherwise);
                table.values_[id] = batch.column<T>(1)[i];
            }
        }));
        return table;
    }
    T operator[](int64_t id) const {
        return static_cast<uint64_t>(id) < values_.size() ? values_[static_cast<size_t>(id)] : otherwise_;
    }

  private:
    std::vector<T> values_;
    T otherwise_{};
};

// All work of the profile in stored order, which is by (stream, begin); of iteration 0 where it is chosen,
// else -1.
Result<std::vector<StreamSpan>> stored_spans(duck::Connection& connection, const ChosenIterations& chosen) {
    OPSIGHT_ASSIGN(
        const auto ranks,
        ById<int64_t>::read(connection, "SELECT id::BIGINT, coalesce(rank, -1)::BIGINT FROM raw.tracks", -1));
    OPSIGHT_ASSIGN(const auto occupancies,
                   ById<double>::read(connection,
                                      "SELECT id::BIGINT, coalesce(occupancy_pct, -1)::DOUBLE FROM "
                                      "raw.launch_configs",
                                      -1));
    const std::string from = "FROM raw.device_spans WHERE kind < 3 OR kind = 6";
    OPSIGHT_ASSIGN(const duck::Rows count, connection.query("SELECT count(*) " + from));
    std::vector<StreamSpan> spans;
    spans.reserve(static_cast<size_t>(std::get<int64_t>(count.rows.at(0)[0])));
    const auto take = [&](const duck::Batch& batch) {
        const auto* track = batch.column<int32_t>(0);
        const auto *begin = batch.column<int64_t>(1), *dur = batch.column<int64_t>(2),
                   *host = batch.column<int64_t>(3);
        const auto *launch = batch.column<int32_t>(4), *config = batch.column<int32_t>(5);
        for (size_t i = 0; i < batch.size(); ++i) {
            const int64_t rank = ranks[track[i]];
            spans.push_back({TrackId(static_cast<size_t>(track[i])), begin[i], dur[i], host[i],
                             launch[i] >= 0, rank >= 0 && chosen.at(rank, host[i]) ? 0 : -1,
                             occupancies[config[i]]});
        }
    };
    OPSIGHT_TRY(connection.scan(
        "SELECT track::INTEGER, begin_ns::BIGINT, dur_ns::BIGINT, host_ns::BIGINT, launch::INTEGER, "
        "(CASE WHEN kind = 0 THEN config ELSE -1 END)::INTEGER " +
            from,
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
            iteration, s.spans, s.busy_ns, s.host_wait_ns, s.queued_wait_ns, s.other_wait_ns, s.queued_ns,
            s.queue_max, s.occupancy_pct_ns, s.occupancy_known_ns)));
    }
    return {};
}

}  // namespace opsight::query
