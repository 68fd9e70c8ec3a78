#include "advise/slow_ranks.h"

#include <algorithm>
#include <map>

#include "advise/sql.h"
#include "query/session/cells.h"

namespace opsight::advise {

Result<SlowRanks> SlowRanks::read(query::Session& session) {
    SlowRanks all;
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::iterations_of_joined_ranks));
    for (const auto& row : rows.rows) {
        const Iteration each{query::integer(row[0]), query::integer(row[1]), query::integer(row[2]),
                             query::integer(row[3])};
        all.ranks_ += all.iterations_.empty() || all.iterations_.back().rank != each.rank;
        all.iterations_.push_back(each);
    }
    return all;
}

int64_t SlowRanks::all_as_slowest(const query::TimeSpans& times) const {
    if (ranks_ < 2) return 0;
    std::map<int64_t, int64_t> most;  // by number
    size_t at = 0;
    for (const Iteration& each : iterations_) {
        const auto before = [&each](const query::TimeSpan& span) {
            return span.rank < each.rank || (span.rank == each.rank && span.end <= each.begin);
        };
        while (at < times.size() && before(times[at]))
            ++at;
        int64_t ns = 0;
        for (size_t i = at; i < times.size() && times[i].rank == each.rank && times[i].begin < each.end; ++i)
            ns += std::min(times[i].end, each.end) - std::max(times[i].begin, each.begin);
        most[each.number] = std::max(most[each.number], ns);
    }
    int64_t sum = 0;
    for (const auto& [number, ns] : most)
        sum += ns;
    return sum * ranks_;
}

}  // namespace opsight::advise
