#include "analyze/correlated_calls.h"

#include <algorithm>
#include <utility>

#include "analyze/launch_calls.h"

namespace opsight::analyze {
namespace {

using IdRows = std::vector<std::pair<int64_t, uint32_t>>;

// Profilers write 0 or -1 where a call or a span has no correlation.
bool is_correlation(int64_t id) {
    return id != 0 && id != -1;
}

}  // namespace

CorrelatedCalls::CorrelatedCalls(const Profile& profile) : p_(profile) {
    std::vector<size_t> counts(p_.ranks.size(), 0);
    for (uint32_t row = 0; row < p_.host.size(); ++row)
        if (is_api(p_.host.kind[row])) ++counts[rank_of(p_.host.track[row]).index()];
    std::vector<IdRows> calls(p_.ranks.size());
    for (size_t rank = 0; rank < calls.size(); ++rank)
        calls[rank].reserve(counts[rank]);
    for (uint32_t row = 0; row < p_.host.size(); ++row) {
        if (!is_api(p_.host.kind[row])) continue;
        const int64_t id = p_.api_correlation[p_.host.detail[row]];
        if (is_correlation(id)) calls[rank_of(p_.host.track[row]).index()].push_back({id, row});
    }
    for (IdRows& rows : calls) {
        has_calls_.push_back(!rows.empty());
        IdMap map(rows);
        if (map.duplicates() > 0) {
            std::stable_sort(rows.begin(), rows.end(), [&](const auto& x, const auto& y) {
                return p_.host.begin[x.second] < p_.host.begin[y.second];
            });
            map = IdMap(rows);
        }
        calls_.push_back(std::move(map));
        rows = {};
    }
}

CorrelatedCalls::Found CorrelatedCalls::of_span(size_t span) const {
    const int64_t id = p_.device.correlation[span];
    if (!is_correlation(id)) return {};
    const auto [first, last] = calls_[rank_of(p_.device.track[span]).index()].find(id);
    if (first == last) return {};
    if (last - first == 1) return {is_of_process(*first, span) ? *first : kNone, false};
    return among(first, last, span);
}

CorrelatedCalls::Found CorrelatedCalls::among(const uint32_t* first, const uint32_t* last,
                                              size_t span) const {
    const uint32_t* after =
        std::upper_bound(first, last, p_.device.begin[span],
                         [&](int64_t time, uint32_t row) { return time < p_.host.begin[row]; });
    constexpr std::ptrdiff_t kFarthest = 64;  // calls of other processes with the same number
    Found found;
    for (const uint32_t* call = after; call != first && after - call < kFarthest;) {
        if (!is_of_process(*--call, span)) continue;
        // A call may be there twice, as the program made it and within it as the driver saw it: the inner
        // one launches.
        if (found.row == kNone)
            found.row = *call;
        else if (!encloses(*call, found.row))
            found.others = true;
    }
    for (const uint32_t* call = after; call != last && call - after < kFarthest; ++call) {
        if (!is_of_process(*call, span)) continue;
        if (found.row == kNone)
            found.row = *call;
        else if (!encloses(found.row, *call))
            found.others = true;
    }
    return found;
}

bool CorrelatedCalls::is_of_process(uint32_t call, size_t span) const {
    const int64_t pid = p_.tracks[p_.device.track[span].index()].pid;
    return pid == 0 || p_.tracks[p_.host.track[call].index()].pid == pid;
}

bool CorrelatedCalls::encloses(uint32_t outer, uint32_t inner) const {
    return p_.host.track[outer] == p_.host.track[inner] && p_.host.begin[outer] <= p_.host.begin[inner] &&
           p_.host.begin[inner] + p_.host.dur[inner] <= p_.host.begin[outer] + p_.host.dur[outer];
}

}  // namespace opsight::analyze
