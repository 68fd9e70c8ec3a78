#include "query/reports/rank_balance.h"

#include "query/reports/rank_times.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {

namespace sql = reports::sql;

namespace {

// Columns of stragglers.sql.
enum Straggler : uint8_t {
    kRank,
    kHost,
    kPattern,
    kScore,
    kIterations,
    kLast,
    kCaused,
    kPct,
    kCause,
    kNs,
    kOp
};

}  // namespace

Result<std::optional<LateRank>> late_rank(Session& session) {
    OPSIGHT_TRY(prepare_rank_times(session));
    OPSIGHT_ASSIGN(const duck::Rows ranks,
                   session.query(duck::Statement(sql::stragglers).set("by_host", false)));
    std::optional<LateRank> late;
    int64_t all_caused_ns = 0;
    for (const auto& row : ranks.rows) {
        all_caused_ns += integer(row[kCaused]);
        if (text(row[kPattern]) != "persistent") continue;
        late = LateRank{.rank = integer(row[kRank]),
                        .iterations = integer(row[kIterations]),
                        .iterations_last = integer(row[kLast]),
                        .caused_ns = integer(row[kCaused]),
                        .cause = text(row[kCause]),
                        .cause_op = text(row[kOp])};
    }
    if (!late) return late;
    late->all_caused_ns = all_caused_ns;
    OPSIGHT_ASSIGN(const duck::Rows rows,
                   session.query(duck::Statement(sql::late_rank).set("rank", late->rank)));
    const auto& row = rows.rows.at(0);
    late->own_ns = integer(row[0]);
    late->others_own_ns = integer(row[1]);
    late->kernels = real(row[2]);
    late->others_kernels = real(row[3]);
    late->excess_class = text(row[4]);
    late->class_ns = integer(row[5]);
    late->others_class_ns = integer(row[6]);
    return late;
}

Result<TimeSpans> waits_for_ranks(Session& session, bool first) {
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    std::vector<TimeSpan> waits;
    OPSIGHT_TRY(each_span(session, duck::Statement(sql::times_rank_waits).set("first", first),
                          [&](const TimeSpan& span) { waits.push_back(span); }));
    OPSIGHT_ASSIGN(const TimeSpans within, within_range(session, std::move(waits)));
    OPSIGHT_ASSIGN(const Occurrences compute, times_of(session, Activity::kComputeKernels));
    OPSIGHT_ASSIGN(const TimeSpans without, times_without(session, compute.times));
    return common(within, without);
}

}  // namespace opsight::query
