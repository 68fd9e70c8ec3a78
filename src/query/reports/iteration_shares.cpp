#include "query/reports/iteration_shares.h"

#include "query/reports/sql.h"
#include "query/session/cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace opsight::query {
namespace {

// The iterations of one rank in `all`, which is in the order of ranks.id and begin.
struct RankPart {
    int64_t rank = 0;
    size_t begin = 0, end = 0;
};

struct Found {
    std::vector<IterationShares> all;
    std::vector<RankPart> ranks;
};

Result<Found> read_iterations(Session& session, const duck::Sql& statement) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(statement));
    Found found;
    for (const auto& row : rows.rows) {
        const auto number = [&row](size_t i) { return integer(row[i]); };
        if (found.ranks.empty() || found.ranks.back().rank != number(0))
            found.ranks.push_back({number(0), found.all.size(), found.all.size()});
        found.all.push_back(
            {number(1), number(2), number(3), number(4), std::get<bool>(row[6]), std::get<bool>(row[5]), {}});
        ++found.ranks.back().end;
    }
    return found;
}

// Adds segments that come in the order of time to the iterations that they fall into.
class Adder {
  public:
    explicit Adder(Found& found) : found_(found) {}

    void add(int64_t rank, int64_t begin, int64_t end, size_t resource) {
        if (!part_ || part_->rank != rank || begin < last_begin_) start(rank);
        last_begin_ = begin;
        if (!part_) return;
        while (first_ < part_->end && end_of(first_) <= begin)
            ++first_;
        for (size_t i = first_; i < part_->end && found_.all[i].begin_ns < end; ++i) {
            IterationShares& it = found_.all[i];
            const int64_t inside = std::min(end, end_of(i)) - std::max(begin, it.begin_ns);
            if (inside > 0) it.ns[resource < kResources ? resource : kIdleResource] += inside;
        }
    }

  private:
    int64_t end_of(size_t i) const { return found_.all[i].begin_ns + found_.all[i].dur_ns; }
    void start(int64_t rank) {
        const auto part = std::find_if(found_.ranks.begin(), found_.ranks.end(),
                                       [rank](const RankPart& p) { return p.rank == rank; });
        part_ = part == found_.ranks.end() ? nullptr : &*part;
        first_ = part_ ? part_->begin : 0;
    }

    Found& found_;
    const RankPart* part_ = nullptr;
    size_t first_ = 0;
    int64_t last_begin_ = 0;
};

// Mean and deviation of the selected iterations of `rank`.
RankPace pace_of(int64_t rank, const std::vector<int64_t>& times) {
    RankPace pace{rank, static_cast<int64_t>(times.size()), {}, {}};
    if (times.empty()) return pace;
    const auto count = static_cast<double>(times.size());
    double sum = 0, squares = 0;
    for (const int64_t ns : times)
        sum += static_cast<double>(ns);
    for (const int64_t ns : times)
        squares += std::pow(static_cast<double>(ns) - sum / count, 2);
    pace.mean_ns = std::llround(sum / count);
    if (times.size() > 1) pace.deviation_ns = std::llround(std::sqrt(squares / (count - 1)));
    return pace;
}

Result<std::vector<IterationShares>> read_shares(Session& session, const duck::Sql& statement) {
    OPSIGHT_ASSIGN(Found found, read_iterations(session, statement));
    Adder adder(found);
    OPSIGHT_TRY(session.scan(reports::sql::resource_segments, [&adder](const duck::Batch& batch) {
        const auto* rank = batch.column<int32_t>(0);
        const auto *begin = batch.column<int64_t>(1), *end = batch.column<int64_t>(2);
        const auto* resource = batch.column<int8_t>(3);
        for (size_t i = 0; i < batch.size(); ++i)
            adder.add(rank[i], begin[i], end[i], static_cast<size_t>(std::max<int8_t>(0, resource[i])));
    }));
    // What no segment covers is idle, too.
    for (IterationShares& it : found.all) {
        it.ns[kIdleResource] = 0;
        it.ns[kIdleResource] = it.dur_ns - std::accumulate(it.ns.begin(), it.ns.end(), int64_t{0});
    }
    return std::move(found.all);
}

}  // namespace

std::vector<RankPace> rank_paces(const std::vector<IterationShares>& iterations) {
    std::map<int64_t, std::vector<int64_t>> times;
    for (const IterationShares& each : iterations) {
        std::vector<int64_t>& own = times[each.rank];
        if (each.selected) own.push_back(each.dur_ns);
    }
    std::vector<RankPace> paces;
    for (const auto& [rank, own] : times)
        paces.push_back(pace_of(rank, own));
    std::vector<RankPace*> order;
    for (RankPace& pace : paces)
        if (pace.mean_ns) order.push_back(&pace);
    if (order.size() < 2) return paces;
    std::partial_sort(order.begin(), order.begin() + 2, order.end(),
                      [](const RankPace* a, const RankPace* b) { return *a->mean_ns > *b->mean_ns; });
    RankPace &first = *order[0], &next = *order[1];
    // One iteration tells no spread: beside what is known of it, a few percent may be chance.
    constexpr double kChance = 0.05;
    const bool known = first.deviation_ns && next.deviation_ns;
    const auto by = static_cast<double>(*first.mean_ns - *next.mean_ns);
    const auto spread =
        static_cast<double>(std::max(first.deviation_ns.value_or(0), next.deviation_ns.value_or(0)));
    first.slowest = by > spread && (known || by > kChance * static_cast<double>(*next.mean_ns));
    first.spread_known = known;
    return paces;
}

Result<std::vector<IterationShares>> iteration_shares(Session& session) {
    return read_shares(session, reports::sql::every_iteration);
}

Result<std::vector<IterationShares>> shares_of_range(Session& session) {
    return read_shares(session,
                       session.range().whole ? reports::sql::whole_range : reports::sql::range_iterations);
}

}  // namespace opsight::query
