#include "analyze/forward_links.h"

#include <algorithm>

namespace opsight::analyze {

ForwardLinks::ForwardLinks(const Profile& profile, const std::vector<Direction>& directions)
    : p_(profile), tracks_(track_rows(profile.host.track)) {
    const HostSpans& h = p_.host;
    bool lacks_sequence = false;
    for (const TrackRows& rows : tracks_) {
        std::vector<std::pair<int64_t, uint32_t>> sequences;
        for (uint32_t row = rows.first; row < rows.last; ++row) {
            if (h.kind[row] != HostKind::kOp) continue;
            const int64_t sequence = p_.op_details.sequence[h.detail[row]];
            if (directions[row] == Direction::kBackward)
                lacks_sequence |= sequence < 0;
            else if (sequence >= 0)
                sequences.push_back({sequence, row});
        }
        if (sequences.empty()) continue;
        const Track& track = p_.tracks[rows.track.index()];
        forward_.push_back({track.rank, track.tid, IdMap(std::move(sequences))});
    }
    for (size_t i = 1; i < forward_.size(); ++i)
        flows_first_ |= forward_[i].rank == forward_[i - 1].rank;
    if (flows_first_ || (forward_.empty() && lacks_sequence)) index_flows(directions);
}

void ForwardLinks::index_flows(const std::vector<Direction>& directions) {
    std::vector<std::vector<std::pair<int64_t, uint32_t>>> starts(p_.ranks.size());
    for (const FlowEnd& flow : p_.flows) {
        if (flow.kind != FlowKind::kForwardBackward || !flow.is_start) continue;
        const uint32_t row = op_at(flow.track, flow.time);
        if (row != IdMap::kNone && directions[row] != Direction::kBackward)
            starts[p_.tracks[flow.track.index()].rank.index()].push_back({flow.id, row});
    }
    std::vector<IdMap> by_id;
    for (auto& rows : starts)
        by_id.emplace_back(std::move(rows));
    for (const FlowEnd& flow : p_.flows) {
        if (flow.kind != FlowKind::kForwardBackward || flow.is_start) continue;
        const uint32_t row = op_at(flow.track, flow.time);
        const auto [first, last] = by_id[p_.tracks[flow.track.index()].rank.index()].find(flow.id);
        if (row != IdMap::kNone && first != last) by_flow_.try_emplace(row, *first);
    }
}

// The outermost of the ops that begin at `time`, the end of an arrow.
uint32_t ForwardLinks::op_at(TrackId track, int64_t time) const {
    const auto rows = std::lower_bound(tracks_.begin(), tracks_.end(), track,
                                       [](const TrackRows& t, TrackId id) { return t.track < id; });
    if (rows == tracks_.end() || rows->track != track) return IdMap::kNone;
    const auto begin = p_.host.begin.begin();
    const auto first = std::lower_bound(begin + rows->first, begin + rows->last, time);
    for (auto row = static_cast<uint32_t>(first - begin); row < rows->last && p_.host.begin[row] == time;
         ++row)
        if (p_.host.kind[row] == HostKind::kOp) return row;
    return IdMap::kNone;
}

HostSpanId ForwardLinks::of(uint32_t row) {
    if (flows_first_ || forward_.empty()) {
        const auto it = by_flow_.find(row);
        if (it != by_flow_.end()) return HostSpanId(it->second);
    }
    return by_sequence(row, p_.tracks[p_.host.track[row].index()].rank);
}

// The op of that sequence number that began last, and before the backward op.
HostSpanId ForwardLinks::by_sequence(uint32_t row, RankId rank) {
    const uint32_t detail = p_.host.detail[row];
    const int64_t sequence = p_.op_details.sequence[detail];
    if (sequence < 0) return {};
    const ForwardTrack* track = track_of(rank, p_.op_details.forward_thread[detail], sequence);
    if (!track) return {};
    const auto [first, last] = track->by_sequence.find(sequence);
    const auto after = std::upper_bound(first, last, p_.host.begin[row], [&](int64_t time, uint32_t forward) {
        return time < p_.host.begin[forward];
    });
    return after == first ? HostSpanId() : HostSpanId(*(after - 1));
}

// The forward thread, by its id where the source's ids are those of its tracks; else the first that has the
// number (the framework counts threads in its own way).
const ForwardLinks::ForwardTrack* ForwardLinks::track_of(RankId rank, int64_t forward_thread,
                                                         int64_t sequence) {
    const ForwardTrack* found = nullptr;
    for (const ForwardTrack& track : forward_) {
        if (track.rank != rank || !track.by_sequence.has(sequence)) continue;
        if (track.tid == forward_thread) return &track;
        if (!found) found = &track;
    }
    return found;
}

}  // namespace opsight::analyze
