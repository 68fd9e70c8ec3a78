#include "query/reports/host_collectives.h"

#include <map>
#include <utility>

#include "query/reports/sql.h"

namespace opsight::query {

namespace sql = reports::sql;

Result<HostCollectives> host_collectives(Session& session) {
    HostCollectives found;
    std::vector<TimeSpan> open;
    std::map<int64_t, int64_t> last;  // rank -> calls that waited for it or were its own
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    OPSIGHT_TRY(session.scan(sql::host_collectives, [&](const duck::Batch& batch) {
        const auto *rank = batch.column<int64_t>(0), *begin = batch.column<int64_t>(1),
                   *end = batch.column<int64_t>(2), *waiting = batch.column<int64_t>(3),
                   *last_rank = batch.column<int64_t>(4);
        for (size_t i = 0; i < batch.size(); ++i) {
            open.push_back({rank[i], begin[i], end[i]});
            ++found.calls;
            found.ns += end[i] - begin[i];
            found.waiting_ns += waiting[i];
            if (last_rank[i] < 0) continue;
            ++found.matched;
            ++last[last_rank[i]];
        }
    }));
    if (open.empty()) return found;
    OPSIGHT_ASSIGN(const TimeSpans calls, within_range(session, std::move(open)));
    OPSIGHT_ASSIGN(const Occurrences ops, times_of(session, Activity::kOps));
    OPSIGHT_ASSIGN(const TimeSpans beside, times_without(session, ops.times));
    found.times = common(calls, beside);
    for (const auto& [rank, calls_of_it] : last)
        if (calls_of_it > found.times_last) {
            found.last_rank = rank;
            found.times_last = calls_of_it;
        }
    return found;
}

}  // namespace opsight::query
