#include "analyze/told_ops.h"

#include <absl/container/flat_hash_set.h>

#include "analyze/names.h"
#include "model/marks/xla_names.h"

namespace opsight::analyze {

std::vector<ToldOpId> told_of_spans(const Profile& profile) {
    const ToldWork& told = profile.told_work;
    if (told.size() == 0) return {};
    std::vector<ToldOpId> ops(profile.device.size());
    for (size_t i = 0; i < told.size(); ++i)
        ops[told.row[i]] = told.op[i];
    return ops;
}

Direction direction_of_told(std::string_view framework_name) {
    if (framework_name.empty()) return Direction::kOther;
    const bool backward = marks::is_transposed(framework_name) || in_gradient_scope(framework_name);
    return backward ? Direction::kBackward : Direction::kForward;
}

ToldWorkShares::ToldWorkShares(const Profile& profile) : ops_(told_of_spans(profile)) {
    if (ops_.empty()) return;
    shares_.assign(profile.device.size(), 0);
    const DeviceSpans& d = profile.device;
    absl::flat_hash_set<StringId> names;
    for (size_t first = 0, last = 0; first < ops_.size(); first = last) {
        last = first + 1;
        if (!ops_[first].valid()) continue;
        names.clear();
        names.insert(d.name[first]);
        int64_t total = d.dur[first];
        for (; last < ops_.size() && ops_[last] == ops_[first] && d.track[last] == d.track[first] &&
               names.insert(d.name[last]).second;
             ++last)
            total += d.dur[last];
        for (size_t span = first; span < last; ++span)
            shares_[span] = total > 0 ? static_cast<double>(d.dur[span]) / static_cast<double>(total)
                                      : 1.0 / static_cast<double>(last - first);
    }
}

}  // namespace opsight::analyze
