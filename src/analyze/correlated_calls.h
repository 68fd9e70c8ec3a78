// Which call of an API put a device span there: the one with its correlation id, in its rank and process.
#pragma once

#include <vector>

#include "analyze/id_map.h"
#include "model/profile.h"

namespace opsight::analyze {

class CorrelatedCalls {
  public:
    static constexpr uint32_t kNone = IdMap::kNone;

    // Cost: linear in the host spans, but n log n in the calls where correlation ids are scattered. The
    // profile must stay as it is meanwhile.
    explicit CorrelatedCalls(const Profile& profile);

    struct Found {
        uint32_t row = kNone;  // of the host spans
        bool others = false;  // further calls of the process have the id, and are not the same one seen twice
    };
    // Of several calls with one id the last that began before the span, else (clocks differ) the first one
    // after. Cost: log n, and at most 128 calls of other processes are passed over.
    Found of_span(size_t span) const;

    bool has_calls(RankId rank) const { return has_calls_[rank.index()]; }

  private:
    RankId rank_of(TrackId track) const { return p_.tracks[track.index()].rank; }
    bool is_of_process(uint32_t call, size_t span) const;
    bool encloses(uint32_t outer, uint32_t inner) const;
    Found among(const uint32_t* first, const uint32_t* last, size_t span) const;

    const Profile& p_;
    std::vector<IdMap> calls_;     // by rank
    std::vector<bool> has_calls_;  // by rank
};

}  // namespace opsight::analyze
