// What the wall clock of the range went to, as the profile's segments tell it, read once for all questions of
// a session: how much of a resource (analyze::Resource) lies within anything. Cost: a scan of the segments,
// and 16 bytes for each of a resource of the host.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "analyze/results.h"
#include "query/reports/time_spans.h"
#include "query/session/session.h"

namespace opsight::query {

// Stretches of ranks that do not overlap, with a running sum.
class StretchSums {
  public:
    // By begin, those of a rank.
    void add(const TimeSpan& stretch);
    // How much of them lies before a moment.
    int64_t before(int64_t rank, int64_t ns) const;
    int64_t all_ns() const { return all_ns_; }

  private:
    struct Stretch {
        int64_t begin = 0, before_ns = 0;
    };
    struct Rank {
        std::vector<Stretch> stretches;
        int64_t all_ns = 0;
    };
    std::map<int64_t, Rank> ranks_;
    int64_t all_ns_ = 0;
};

struct RangeResources {
    static constexpr size_t kCount = static_cast<size_t>(analyze::Resource::kCount);
    std::array<StretchSums, kCount> all;
    // Without the pauses of devices before work that was launched already (queued_pauses.h). A segment lies
    // within one pause: all others have a device at work.
    std::array<StretchSums, kCount> unqueued;
    int64_t ns(analyze::Resource of) const { return all[static_cast<size_t>(of)].all_ns(); }
    int64_t unqueued_ns(analyze::Resource of) const { return unqueued[static_cast<size_t>(of)].all_ns(); }
    int64_t queued_ns(analyze::Resource of) const { return ns(of) - unqueued_ns(of); }
};
Result<std::shared_ptr<const RangeResources>> range_resources(Session& session);

// The same in statements: the table macros within_resource(relation, name) and within_unqueued(relation,
// name), the rows of a relation with `rank`, `begin_ns` and `end_ns`, and `within_ns`, how much of the
// resource each holds.
Status prepare_within(Session& session);

}  // namespace opsight::query
