#include "model/join_ranks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace opsight {
namespace {

constexpr uint32_t kGone = UINT32_MAX;

template <class IdType>
void follow(IdType& id, const std::vector<uint32_t>& places) {
    if (id.valid()) id = IdType(size_t{places[id.index()]});
}

template <class IdType>
void follow_all(std::vector<IdType>& ids, const std::vector<uint32_t>& places) {
    for (IdType& id : ids)
        follow(id, places);
}

// Drops the entries that `same_as` sends to others, and says where each went.
template <class Entry>
std::vector<uint32_t> drop(std::vector<Entry>& entries, const std::vector<uint32_t>& same_as) {
    std::vector<uint32_t> places(entries.size());
    std::vector<Entry> kept;
    for (size_t i = 0; i < entries.size(); ++i) {
        if (same_as[i] != kGone) continue;
        places[i] = static_cast<uint32_t>(kept.size());
        kept.push_back(std::move(entries[i]));
    }
    for (size_t i = 0; i < places.size(); ++i)
        if (same_as[i] != kGone) places[i] = places[same_as[i]];
    entries = std::move(kept);
    return places;
}

void join_devices(Profile& p, RankId into, RankId from) {
    std::map<int64_t, uint32_t> known;
    for (uint32_t i = 0; i < p.devices.size(); ++i)
        if (p.devices[i].rank == into) known.emplace(p.devices[i].number, i);
    std::vector<uint32_t> same_as(p.devices.size(), kGone);
    for (uint32_t i = 0; i < p.devices.size(); ++i) {
        Device& device = p.devices[i];
        if (device.rank != from) continue;
        device.rank = into;
        const auto [first, is_new] = known.emplace(device.number, i);
        if (is_new) continue;
        same_as[i] = first->second;
        if (!p.devices[first->second].declared) p.devices[first->second] = device;
    }
    const std::vector<uint32_t> places = drop(p.devices, same_as);
    for (Track& track : p.tracks)
        follow(track.device, places);
    for (PageFault& fault : p.page_faults)
        follow(fault.device, places);
}

void follow_tracks(Profile& p, const std::vector<uint32_t>& places) {
    for (auto* ids : {&p.host.track, &p.device.track, &p.nvtx.track, &p.nvtx.end_track, &p.memory.track,
                      &p.counters.track, &p.samples.track})
        follow_all(*ids, places);
    for (FlowEnd& flow : p.flows)
        follow(flow.track, places);
    for (PageFault& fault : p.page_faults)
        follow(fault.track, places);
    for (GraphNode& node : p.graph_nodes)
        follow(node.thread, places);
}

void join_tracks(Profile& p, RankId into, RankId from) {
    const auto key = [](const Track& t) {
        return std::tuple(t.kind, t.pid, t.tid, t.device.value, t.context, t.stream, t.pid_text.value,
                          t.tid_text.value);
    };
    std::map<decltype(key(Track())), uint32_t> known;
    for (uint32_t i = 0; i < p.tracks.size(); ++i)
        if (p.tracks[i].rank == into) known.emplace(key(p.tracks[i]), i);
    std::vector<uint32_t> same_as(p.tracks.size(), kGone);
    for (uint32_t i = 0; i < p.tracks.size(); ++i) {
        if (p.tracks[i].rank != from) continue;
        p.tracks[i].rank = into;
        const auto [first, is_new] = known.emplace(key(p.tracks[i]), i);
        if (is_new) continue;
        same_as[i] = first->second;
        if (p.tracks[first->second].name.value == 0) p.tracks[first->second].name = p.tracks[i].name;
    }
    follow_tracks(p, drop(p.tracks, same_as));
}

void join_contexts(Profile& p, RankId into, RankId from) {
    const auto is_known = [&](const Context& context) {
        return std::any_of(p.contexts.begin(), p.contexts.end(), [&](const Context& other) {
            return other.rank == into && other.number == context.number;
        });
    };
    std::erase_if(p.contexts, [&](const Context& c) { return c.rank == from && is_known(c); });
    for (Context& context : p.contexts)
        if (context.rank == from) context.rank = into;
}

bool has_correlation(HostKind kind) {
    return kind == HostKind::kRuntimeApi || kind == HostKind::kDriverApi;
}

// The numbers of a rank's calls and device work.
template <class Take>
void each_number(Profile& p, RankId rank, const Take& take) {
    const auto is_of = [&](TrackId track) { return p.tracks[track.index()].rank == rank; };
    for (size_t row = 0; row < p.host.size(); ++row)
        if (has_correlation(p.host.kind[row]) && is_of(p.host.track[row]))
            take(p.api_correlation[p.host.detail[row]]);
    for (size_t row = 0; row < p.device.size(); ++row)
        if (is_of(p.device.track[row])) take(p.device.correlation[row]);
    for (FlowEnd& flow : p.flows)
        if (is_of(flow.track)) take(flow.id);
}

void part_numbers(Profile& p, RankId into, RankId from) {
    int64_t last = 0, first = std::numeric_limits<int64_t>::max(), highest = 0;
    each_number(p, into, [&](int64_t number) { last = std::max(last, number); });
    each_number(p, from, [&](int64_t number) {
        if (number <= 0) return;
        first = std::min(first, number);
        highest = std::max(highest, number);
    });
    if (first > last || highest > std::numeric_limits<int64_t>::max() - last) return;
    each_number(p, from, [&](int64_t& number) {
        if (number > 0) number += last;
    });
}

}  // namespace

void shift_rank(Profile& p, RankId rank, int64_t by) {
    if (by == 0) return;
    const auto is_of = [&](TrackId track) { return p.tracks[track.index()].rank == rank; };
    const auto shift = [&](std::vector<int64_t>& times, const std::vector<TrackId>& tracks) {
        for (size_t i = 0; i < times.size(); ++i)
            if (is_of(tracks[i])) times[i] += by;
    };
    shift(p.host.begin, p.host.track);
    shift(p.device.begin, p.device.track);
    shift(p.memory.time, p.memory.track);
    shift(p.counters.time, p.counters.track);
    shift(p.samples.time, p.samples.track);
    for (FlowEnd& flow : p.flows)
        if (is_of(flow.track)) flow.time += by;
    for (PageFault& fault : p.page_faults)
        if (is_of(fault.track)) fault.time += by;
    for (GraphNode& node : p.graph_nodes)
        if (is_of(node.thread)) node.time += by;
    if (std::optional<int64_t>& from = p.ranks[rank.index()].kept_from_ns) *from += by;
}

void join_ranks(Profile& p, RankId into, RankId from) {
    part_numbers(p, into, from);
    join_devices(p, into, from);
    join_tracks(p, into, from);
    join_contexts(p, into, from);
    std::vector<uint32_t> same_as(p.ranks.size(), kGone);
    same_as[from.index()] = static_cast<uint32_t>(into.index());
    const std::vector<uint32_t> places = drop(p.ranks, same_as);
    for (Device& device : p.devices)
        follow(device.rank, places);
    for (Track& track : p.tracks)
        follow(track.rank, places);
    for (Context& context : p.contexts)
        follow(context.rank, places);
    for (RecordingPause& pause : p.pauses)
        follow(pause.rank, places);
}

}  // namespace opsight
