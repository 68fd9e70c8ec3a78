#include "analyze/launch_order.h"

#include <algorithm>

namespace opsight::analyze {

LaunchOrder::LaunchOrder(const Profile& profile, const Analysis& analysis) : device_(profile.device) {
    // Without calls the op that an arrow names stands for the launch.
    const auto launcher = [&](size_t span) {
        return analysis.launch[span].valid() ? analysis.launch[span] : analysis.launch_op[span];
    };
    const auto counts = [&](size_t span) {
        const DeviceKind kind = device_.kind[span];
        return launcher(span).valid() && (kind == DeviceKind::kKernel || kind == DeviceKind::kMemcpy ||
                                          kind == DeviceKind::kMemset || kind == DeviceKind::kGraph);
    };
    bool sorted = true;
    uint32_t last = 0;
    for (uint32_t span = 0; span < device_.size(); ++span) {
        if (!counts(span)) continue;
        spans_.push_back(span);
        sorted &= last <= launcher(span).value;
        last = launcher(span).value;
    }
    if (!sorted) {  // counting sort by the launching row
        std::vector<uint32_t> start(profile.host.size() + 1, 0);
        for (uint32_t span : spans_)
            ++start[launcher(span).index() + 1];
        for (size_t i = 1; i < start.size(); ++i)
            start[i] += start[i - 1];
        std::vector<uint32_t> ordered(spans_.size());
        for (uint32_t span : spans_)
            ordered[start[launcher(span).index()]++] = span;
        spans_ = std::move(ordered);
    }
    sum_up();
}

void LaunchOrder::sum_up() {
    in_order_since_.resize(spans_.size());
    covered_.resize(spans_.size());
    for (uint32_t at = 0; at < spans_.size(); ++at) {
        const bool goes_on = at > 0 && begin_of(at) >= begin_of(at - 1) && end_of(at) >= end_of(at - 1);
        in_order_since_[at] = goes_on ? in_order_since_[at - 1] : at;
        covered_[at] = goes_on ? covered_[at - 1] + end_of(at) - std::max(begin_of(at), end_of(at - 1))
                               : end_of(at) - begin_of(at);
    }
}

LaunchOrder::Cover LaunchOrder::cover(uint32_t first, uint32_t last) {
    if (in_order_since_[last - 1] <= first) {
        const int64_t own = end_of(first) - begin_of(first);
        return {begin_of(first), end_of(last - 1), own + covered_[last - 1] - covered_[first]};
    }
    gathered_.clear();
    for (uint32_t at = first; at < last; ++at)
        gathered_.push_back({begin_of(at), end_of(at)});
    return cover_gathered();
}

LaunchOrder::Cover LaunchOrder::cover_of(const std::vector<uint32_t>& places) {
    gathered_.clear();
    for (uint32_t at : places)
        gathered_.push_back({begin_of(at), end_of(at)});
    return cover_gathered();
}

LaunchOrder::Cover LaunchOrder::cover_gathered() {
    merge(gathered_);
    if (gathered_.empty()) return {};
    return {gathered_.front().begin, gathered_.back().end, length(gathered_)};
}

}  // namespace opsight::analyze
