#include "query/reports/range_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "query/reports/activity_times.h"
#include "query/reports/queued_pauses.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;
using analyze::Resource;
using Resources = std::shared_ptr<const RangeResources>;

// Places in spans of things that come in the order of time, rank after rank.
class Places {
  public:
    explicit Places(const TimeSpans& spans) : spans_(spans) {}
    // The first that ends after a moment of a rank; what follows it may be of another rank.
    TimeSpans::const_iterator after(int64_t rank, int64_t ns) {
        const auto passed = [rank](const TimeSpan& span, int64_t at) {
            return span.rank < rank || (span.rank == rank && span.end <= at);
        };
        if (rank != rank_ || ns < ns_) at_ = std::lower_bound(spans_.begin(), spans_.end(), ns, passed);
        while (at_ != spans_.end() && passed(*at_, ns))
            ++at_;
        rank_ = rank;
        ns_ = ns;
        return at_;
    }

  private:
    const TimeSpans& spans_;
    TimeSpans::const_iterator at_ = spans_.begin();
    int64_t rank_ = -1, ns_ = 0;
};

class Reader {
  public:
    Reader(const TimeSpans& range, const TimeSpans& pauses, RangeResources& out)
        : range_(range), pauses_(pauses), out_(out), stretches_(range), queued_(pauses) {}

    void take(const TimeSpan& segment, size_t resource) {
        for (auto s = stretches_.after(segment.rank, segment.begin);
             s != range_.end() && s->rank == segment.rank && s->begin < segment.end; ++s)
            add({segment.rank, std::max(segment.begin, s->begin), std::min(segment.end, s->end)}, resource);
    }

  private:
    void add(const TimeSpan& piece, size_t resource) {
        out_.all[resource].add(piece);
        if (!is_rest(resource)) return;
        const auto pause = queued_.after(piece.rank, piece.begin);
        if (pause == pauses_.end() || pause->rank != piece.rank || pause->begin > piece.begin)
            out_.unqueued[resource].add(piece);
    }
    static bool is_rest(size_t resource) {
        const auto is = static_cast<Resource>(resource);
        return is == Resource::kIdle || is == Resource::kHost || is == Resource::kCpu;
    }

    const TimeSpans &range_, &pauses_;
    RangeResources& out_;
    Places stretches_, queued_;
};

Result<Resources> read_resources(Session& session) {
    OPSIGHT_ASSIGN(const TimeSpans range, times_of_range(session));
    OPSIGHT_ASSIGN(const auto pauses, queued_pauses(session));
    const auto found = std::make_shared<RangeResources>();
    Reader reader(range, *pauses, *found);
    OPSIGHT_TRY(session.scan(sql::resource_segments, [&reader](const duck::Batch& batch) {
        const auto* rank = batch.column<int32_t>(0);
        const auto *begin = batch.column<int64_t>(1), *end = batch.column<int64_t>(2);
        const auto* resource = batch.column<int8_t>(3);
        for (size_t i = 0; i < batch.size(); ++i)
            if (const auto of = static_cast<size_t>(resource[i]); of < RangeResources::kCount)
                reader.take({rank[i], begin[i], end[i]}, of);
    }));
    return found;
}

}  // namespace

void StretchSums::add(const TimeSpan& stretch) {
    Rank& rank = ranks_[stretch.rank];
    rank.stretches.push_back({stretch.begin, rank.all_ns});
    rank.all_ns += stretch.end - stretch.begin;
    all_ns_ += stretch.end - stretch.begin;
}

int64_t StretchSums::before(int64_t rank, int64_t ns) const {
    const auto of_rank = ranks_.find(rank);
    if (of_rank == ranks_.end()) return 0;
    const auto& [stretches, all_ns] = of_rank->second;
    const auto next = std::upper_bound(stretches.begin(), stretches.end(), ns,
                                       [](int64_t at, const Stretch& s) { return at < s.begin; });
    if (next == stretches.begin()) return 0;
    const Stretch& last = *std::prev(next);
    return std::min(last.before_ns + ns - last.begin, next == stretches.end() ? all_ns : next->before_ns);
}

Result<Resources> range_resources(Session& session) {
    return session.remember<Resources>("range_resources", [&] { return read_resources(session); });
}

Status prepare_within(Session& session) {
    constexpr int64_t kPlaces = 2 * RangeResources::kCount;
    OPSIGHT_ASSIGN(const Resources resources, range_resources(session));
    // The connections of a database share its functions, which stay as long as it is open: each session has
    // one of its own, that holds nothing.
    static std::atomic<int64_t> made = 0;
    const std::weak_ptr<const RangeResources> held = resources;
    const auto before = [held](int64_t place, int64_t ns) -> int64_t {
        const Resources known = held.lock();
        if (!known || place < 0) return 0;
        const auto of = static_cast<size_t>(place % kPlaces);
        const bool queued = of < RangeResources::kCount;
        const StretchSums& sums = queued ? known->all[of] : known->unqueued[of - RangeResources::kCount];
        return sums.before(place / kPlaces, ns);
    };
    const auto define = [&]() -> Result<bool> {
        const std::string name = fmt::format("resource_before_{}", made++);
        OPSIGHT_TRY(session.add_function(name, before));
        OPSIGHT_TRY(
            session.execute(fmt::format("CREATE OR REPLACE TEMP MACRO resource_before(rank, ns, place) AS "
                                        "coalesce({}(rank::BIGINT * {} + place, ns), 0)",
                                        name, kPlaces)));
        OPSIGHT_TRY(session.execute(duck::Statement(sql::within_resource)
                                        .set("unqueued", static_cast<int64_t>(RangeResources::kCount))));
        return true;
    };
    OPSIGHT_TRY(session.remember<bool>("within_resource", define));
    return {};
}

}  // namespace opsight::query
