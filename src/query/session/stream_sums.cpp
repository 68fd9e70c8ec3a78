#include "query/session/stream_sums.h"

#include <algorithm>

#include "analyze/streams.h"
#include "db/schema.h"
#include "query/session/sql.h"
#include "query/session/stored_pauses.h"

namespace opsight::query {
namespace {

namespace sql = session::sql;

// Numbers of a small table by id: columns id (BIGINT) and a value of type T; `otherwise` where there is none.
template <class T>
class ById {
  public:
    static Result<ById> read(Session& session, const duck::Sql& sql, T otherwise) {
        ById table;
        table.otherwise_ = otherwise;
        OPSIGHT_TRY(session.scan(sql, [&table, otherwise](const duck::Batch& batch) {
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
Result<std::vector<analyze::StreamSpan>> stored_spans(Session& session, const ChosenIterations& chosen) {
    OPSIGHT_ASSIGN(const auto ranks, ById<int64_t>::read(session, sql::track_ranks, -1));
    OPSIGHT_ASSIGN(const auto occupancies, ById<double>::read(session, sql::config_occupancies, -1));
    OPSIGHT_ASSIGN(const duck::Rows count, session.query(sql::busy_span_count));
    std::vector<analyze::StreamSpan> spans;
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
                             occupancies[config[i]],
                             rank >= 0 ? RankId(static_cast<size_t>(rank)) : RankId()});
        }
    };
    OPSIGHT_TRY(session.scan(sql::busy_span_columns, take));
    return spans;
}

std::vector<analyze::IterationTime> times_of(const ChosenIterations& chosen) {
    std::vector<analyze::IterationTime> times;
    chosen.each([&times](size_t rank, const Interval& stretch) {
        times.push_back({RankId(rank), stretch.begin_ns, stretch.end_ns, 0});
    });
    return times;
}

}  // namespace

Status sum_stored_streams(Session& session, const ChosenIterations& chosen, int64_t iteration,
                          const std::string& table) {
    OPSIGHT_ASSIGN(const std::vector<analyze::StreamSpan> spans, stored_spans(session, chosen));
    std::vector<duck::Type> types;
    for (const db::Column& column : db::table("stream_stats").columns)
        types.push_back(column.type);
    OPSIGHT_ASSIGN(duck::Appender to, session.append_to(table, types));
    OPSIGHT_ASSIGN(const duck::Rows pauses, session.query(sql::pauses));
    for (const analyze::StreamStats& s : sum_streams(spans, stored_pauses(pauses), times_of(chosen))) {
        if (s.iteration < 0) continue;
        *to.column<int32_t>(0) = static_cast<int32_t>(s.stream.value);
        *to.column<int32_t>(1) = static_cast<int32_t>(iteration);
        const int64_t sums[] = {s.spans,         s.busy_ns,   s.host_wait_ns, s.queued_wait_ns,
                                s.other_wait_ns, s.queued_ns, s.queue_max};
        for (size_t i = 0; i < std::size(sums); ++i)
            *to.column<int64_t>(2 + i) = sums[i];
        *to.column<double>(9) = s.occupancy_pct_ns;
        *to.column<int64_t>(10) = s.occupancy_known_ns;
        OPSIGHT_TRY(to.add(1));
    }
    return to.close();
}

}  // namespace opsight::query
