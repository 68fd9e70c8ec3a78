#include "analyze/iteration_inputs.h"

#include <algorithm>

#include "analyze/names.h"

namespace opsight::analyze {
namespace {

RankId rank_of(const Profile& p, TrackId track) {
    return p.tracks[track.index()].rank;
}

bool brings_data(const Profile& p, size_t span) {
    const TransferId id = p.device.transfer[span];
    if (p.device.kind[span] != DeviceKind::kMemcpy || !id.valid()) return false;
    const CopyKind kind = p.transfers[id.index()].copy;
    return kind == CopyKind::kHostToDevice || kind == CopyKind::kHostToArray;
}

}  // namespace

std::vector<std::vector<int64_t>> begins_of_inputs(const Profile& p, const Analysis& a,
                                                   const std::vector<uint32_t>& outermost) {
    std::vector<std::vector<int64_t>> begins(p.ranks.size());
    NameTable names(p.strings);
    for (uint32_t row = 0; row < p.host.size(); ++row) {
        const HostKind kind = p.host.kind[row];
        if (kind == HostKind::kDataLoad ||
            (kind == HostKind::kAnnotation && names[p.host.name[row]] == NameClass::kDataLoad))
            begins[rank_of(p, p.host.track[row]).index()].push_back(p.host.begin[row]);
    }
    for (size_t span = 0; span < p.device.size(); ++span) {
        if (!a.launch[span].valid() || !brings_data(p, span)) continue;
        const size_t call = a.launch[span].index();
        const uint32_t top =
            outermost[call] == HostSpanId::kNone ? static_cast<uint32_t>(call) : outermost[call];
        begins[rank_of(p, p.host.track[call]).index()].push_back(p.host.begin[top]);
    }
    for (std::vector<int64_t>& each : begins)
        std::sort(each.begin(), each.end());
    return begins;
}

std::vector<int64_t> begin_with_inputs(const std::vector<IterationHead>& heads,
                                       const std::vector<int64_t>& inputs) {
    std::vector<int64_t> begins;
    size_t with_inputs = 0;
    std::ptrdiff_t of_the_second = 0;
    for (const IterationHead& head : heads) {
        const auto first = std::upper_bound(inputs.begin(), inputs.end(), head.after_ns),
                   last = std::lower_bound(inputs.begin(), inputs.end(), head.begin_ns);
        begins.push_back(first < last ? *first : head.begin_ns);
        if (begins.size() == 1) continue;
        if (begins.size() == 2) of_the_second = std::max<std::ptrdiff_t>(0, last - first);
        with_inputs += first < last ? 1 : 0;
    }
    std::vector<int64_t> plain;
    for (const IterationHead& head : heads)
        plain.push_back(head.begin_ns);
    if (2 * with_inputs <= heads.size() - 1) return plain;
    // Before the first iteration may lie what was loaded to set up.
    const auto first = std::upper_bound(inputs.begin(), inputs.end(), heads[0].after_ns),
               last = std::lower_bound(inputs.begin(), inputs.end(), heads[0].begin_ns);
    const std::ptrdiff_t there = std::max<std::ptrdiff_t>(0, last - first);
    const std::ptrdiff_t taken = std::min(there, of_the_second);
    begins[0] = taken > 0 ? *(last - taken) : heads[0].begin_ns;
    return begins;
}

}  // namespace opsight::analyze
