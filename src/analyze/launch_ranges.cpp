#include "analyze/launch_ranges.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

#include "analyze/correlated_calls.h"

namespace opsight::analyze {
namespace {

struct Range {
    TrackId track;
    int64_t begin = 0, end = 0;
    StringId name;
};

struct Launch {
    TrackId track;
    int64_t begin = 0;
    uint32_t row = 0;  // of the device spans
};

// By (track, begin, longest first), as both are stored.
std::vector<Range> ranges_of(const Profile& p) {
    std::vector<Range> ranges;
    const auto add = [&](TrackId track, size_t host, StringId name) {
        if (p.host.flags[host] & (kUnfinished | kInstant)) return;
        ranges.push_back({track, p.host.begin[host], p.host.begin[host] + p.host.dur[host], name});
    };
    for (size_t i = 0; i < p.nvtx.size(); ++i)
        if (!p.nvtx.end_track[i].valid()) add(p.nvtx.track[i], p.nvtx.row[i], p.nvtx.text[i]);
    if (p.nvtx.size() > 0) return ranges;
    for (size_t i = 0; i < p.host.size(); ++i)
        if (p.host.kind[i] == HostKind::kAnnotation) add(p.host.track[i], i, p.host.name[i]);
    return ranges;
}

std::vector<Launch> launches_of(const Profile& p) {
    const CorrelatedCalls calls(p);
    std::vector<Launch> launches;
    for (uint32_t row = 0; row < p.device.size(); ++row) {
        if (p.device.kind[row] != DeviceKind::kKernel) continue;
        const uint32_t call = calls.of_span(row).row;
        if (call != CorrelatedCalls::kNone) launches.push_back({p.host.track[call], p.host.begin[call], row});
    }
    std::sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) {
        return std::pair(a.track, a.begin) < std::pair(b.track, b.begin);
    });
    return launches;
}

}  // namespace

std::vector<StringId> RangeStacks::names(uint32_t stack) const {
    std::vector<StringId> names;
    for (; stack != 0; stack = stacks[stack].outer)
        names.push_back(stacks[stack].name);
    std::reverse(names.begin(), names.end());
    return names;
}

RangeStacks ranges_of_launches(const Profile& profile) {
    RangeStacks out;
    out.of_row.assign(profile.device.size(), 0);
    absl::flat_hash_map<std::pair<uint32_t, StringId>, uint32_t> known;
    std::vector<std::pair<int64_t, uint32_t>> open;  // ends, and the stack up to there
    const std::vector<Range> ranges = ranges_of(profile);
    auto next = ranges.begin();
    TrackId track;
    for (const Launch& launch : launches_of(profile)) {
        if (launch.track != track) open.clear();
        track = launch.track;
        while (next != ranges.end() &&
               std::pair(next->track, next->begin) <= std::pair(track, launch.begin)) {
            const Range& range = *next++;
            if (range.track != track) continue;
            while (!open.empty() && open.back().first <= range.begin)
                open.pop_back();
            const uint32_t outer = open.empty() ? 0 : open.back().second;
            const auto [stack, is_new] =
                known.try_emplace({outer, range.name}, static_cast<uint32_t>(out.stacks.size()));
            if (is_new) out.stacks.push_back({outer, range.name});
            open.emplace_back(range.end, stack->second);
        }
        while (!open.empty() && open.back().first <= launch.begin)
            open.pop_back();
        if (!open.empty()) out.of_row[launch.row] = open.back().second;
    }
    return out;
}

}  // namespace opsight::analyze
