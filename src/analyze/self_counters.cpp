#include "analyze/self_counters.h"

#include <algorithm>

namespace opsight::analyze {
namespace {

constexpr size_t kNoParent = SIZE_MAX;

// The innermost op around it that was counted.
size_t counted_parent(const OpCounters& counters, const Analysis& analysis, uint32_t row) {
    for (HostSpanId outer = analysis.op_span[row]; outer.valid(); outer = analysis.op_span[outer.index()]) {
        const auto found =
            std::lower_bound(counters.row.begin(), counters.row.end(), static_cast<uint32_t>(outer.index()));
        if (found != counters.row.end() && *found == outer.index())
            return static_cast<size_t>(found - counters.row.begin());
    }
    return kNoParent;
}

}  // namespace

OpCounters self_counters(const Profile& profile, const Analysis& analysis) {
    const OpCounters& all = profile.op_counters;
    OpCounters self = all;
    std::vector<size_t> parents(all.size());
    for (size_t i = 0; i < all.size(); ++i)
        parents[i] = counted_parent(all, analysis, all.row[i]);
    for (size_t slot = 0; slot < kCounterSlots; ++slot) {
        std::vector<int64_t>& values = self.slots[slot];
        if (values.empty()) continue;
        std::vector<bool> unknown(values.size(), false);
        for (size_t i = 0; i < all.size(); ++i) {
            const size_t parent = parents[i];
            if (parent == kNoParent || values[parent] == -1) continue;
            if (all.at(slot, i) < 0)
                unknown[parent] = true;
            else
                values[parent] -= all.at(slot, i);
        }
        for (size_t i = 0; i < values.size(); ++i)
            if (unknown[i] || values[i] < 0) values[i] = -1;
    }
    return self;
}

}  // namespace opsight::analyze
