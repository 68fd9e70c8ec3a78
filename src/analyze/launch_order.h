// LaunchOrder: kernels, copies and sets in the order of the rows of their launches (of the ops that launched
// them where the source has no calls), and how much time any stretch of them covers.
#pragma once

#include "analyze/intervals.h"
#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

class LaunchOrder {
  public:
    struct Cover {
        int64_t begin = 0, end = 0;  // first begin, last end
        int64_t covered_ns = 0;      // union
    };

    LaunchOrder(const Profile& profile, const Analysis& analysis);

    uint32_t size() const { return static_cast<uint32_t>(spans_.size()); }
    uint32_t span(uint32_t at) const { return spans_[at]; }  // row of Profile::device
    // Of the stretch [first, last), which is not empty: constant where it is in order, else k log k.
    Cover cover(uint32_t first, uint32_t last);
    // Of some places, none of them twice.
    Cover cover_of(const std::vector<uint32_t>& places);

  private:
    int64_t begin_of(uint32_t at) const { return device_.begin[spans_[at]]; }
    int64_t end_of(uint32_t at) const { return device_.begin[spans_[at]] + device_.dur[spans_[at]]; }
    void sum_up();
    Cover cover_gathered();

    const DeviceSpans& device_;
    std::vector<uint32_t> spans_;
    std::vector<uint32_t> in_order_since_;  // begins and ends never fall from there on
    std::vector<int64_t> covered_;          // since there
    Intervals gathered_;                    // kept for its memory
};

}  // namespace opsight::analyze
