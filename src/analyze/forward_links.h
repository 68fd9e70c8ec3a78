// ForwardLinks: which forward op a backward op belongs to, by sequence number and by flow.
#pragma once

#include <absl/container/flat_hash_map.h>

#include "analyze/id_map.h"
#include "analyze/results.h"
#include "analyze/track_rows.h"
#include "model/profile.h"

namespace opsight::analyze {

class ForwardLinks {
  public:
    // `directions`: of every host span.
    ForwardLinks(const Profile& profile, const std::vector<Direction>& directions);

    // The forward op of a backward op, from what the source says of this op itself; invalid: nothing.
    HostSpanId of(uint32_t backward_row);

  private:
    struct ForwardTrack {
        RankId rank;
        int64_t tid;
        IdMap by_sequence;
    };
    void index_flows(const std::vector<Direction>& directions);
    uint32_t op_at(TrackId track, int64_t time) const;
    HostSpanId by_sequence(uint32_t row, RankId rank);
    const ForwardTrack* track_of(RankId rank, int64_t forward_thread, int64_t sequence);

    const Profile& p_;
    std::vector<TrackRows> tracks_;
    std::vector<ForwardTrack> forward_;
    absl::flat_hash_map<uint32_t, uint32_t> by_flow_;  // backward row -> forward row
    bool flows_first_ = false;                         // several forward threads: only a flow is unambiguous
};

}  // namespace opsight::analyze
