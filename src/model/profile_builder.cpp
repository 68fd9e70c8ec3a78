#include "model/profile_builder.h"

#include <absl/hash/hash.h>

#include <algorithm>

#include "model/order.h"

namespace opsight {
namespace {

template <class... T>
uint64_t hash_of(const T&... values) {
    return absl::HashOf(values...);
}

// The id of `value` in `table`, found by `hash` and equality, added if it is new.
template <class IdType, class Value>
IdType intern(std::vector<Value>& table, absl::flat_hash_map<uint64_t, std::vector<IdType>>& index,
              uint64_t hash, const Value& value) {
    std::vector<IdType>& same_hash = index[hash];
    for (IdType id : same_hash)
        if (table[id.index()] == value) return id;
    const IdType id(table.size());
    table.push_back(value);
    same_hash.push_back(id);
    return id;
}

}  // namespace

RankId ProfileBuilder::begin_rank(Rank rank) {
    auto taken = [&](int64_t number) {
        return std::any_of(profile_.ranks.begin(), profile_.ranks.end(),
                           [&](const Rank& other) { return other.number == number; });
    };
    const int64_t wanted = rank.number;
    while (taken(rank.number))
        ++rank.number;
    if (rank.number_known && rank.number != wanted)
        diagnostics().add(Diag::kRankDuplicate, {rank.source, -1, -1, "rank " + std::to_string(wanted)});
    if (!rank.number_known) diagnostics().add(Diag::kRankMissing, {rank.source, -1, -1, {}});
    profile_.ranks.push_back(std::move(rank));
    return RankId(profile_.ranks.size() - 1);
}

DeviceId ProfileBuilder::device(RankId rank, int64_t number) {
    auto [it, is_new] = devices_.try_emplace({rank.value, number}, DeviceId(profile_.devices.size()));
    if (is_new) profile_.devices.push_back(Device{.rank = rank, .number = number});
    return it->second;
}

TrackId ProfileBuilder::host_track(RankId rank, int64_t pid, int64_t tid) {
    auto [it, is_new] = host_tracks_.try_emplace({rank.value, pid, tid}, TrackId(profile_.tracks.size()));
    if (is_new) {
        Track track;
        track.rank = rank;
        track.pid = pid;
        track.tid = tid;
        track.name = track.process_name = track.pid_text = track.tid_text = StringId(0);
        profile_.tracks.push_back(track);
    }
    return it->second;
}

TrackId ProfileBuilder::stream_track(TrackKind kind, DeviceId device, int64_t context, int64_t stream) {
    auto [it, is_new] = stream_tracks_.try_emplace(
        {static_cast<uint8_t>(kind), device.value, context, stream}, TrackId(profile_.tracks.size()));
    if (is_new) {
        Track track;
        track.kind = kind;
        track.rank = profile_.devices[device.index()].rank;
        track.device = device;
        track.context = context;
        track.stream = stream;
        track.name = track.process_name = track.pid_text = track.tid_text = StringId(0);
        profile_.tracks.push_back(track);
    }
    return it->second;
}

TrackId ProfileBuilder::other_track(RankId rank, std::string_view pid, std::string_view tid) {
    const StringId pid_text = text(pid), tid_text = text(tid);
    auto [it, is_new] = other_tracks_.try_emplace({rank.value, pid_text.value, tid_text.value},
                                                  TrackId(profile_.tracks.size()));
    if (is_new) {
        Track track;
        track.kind = TrackKind::kOther;
        track.rank = rank;
        track.pid_text = pid_text;
        track.tid_text = tid_text;
        track.name = track.process_name = StringId(0);
        profile_.tracks.push_back(track);
    }
    return it->second;
}

SignatureId ProfileBuilder::signature(const Signature& s) {
    auto [it, is_new] =
        signatures_.try_emplace({s.shapes.value, s.dtypes.value, s.concrete.value, s.strides.value},
                                SignatureId(profile_.signatures.size()));
    if (is_new) profile_.signatures.push_back(s);
    return it->second;
}

LaunchConfigId ProfileBuilder::launch_config(const LaunchConfig& c) {
    const uint64_t hash = hash_of(c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
                                  c.registers_per_thread, c.static_shared_bytes, c.dynamic_shared_bytes,
                                  c.source_occupancy_pct, c.source_blocks_per_sm, c.source_warps_per_sm);
    return intern(profile_.launch_configs, launch_configs_, hash, c);
}

CollectiveId ProfileBuilder::collective(const Collective& c) {
    const uint64_t hash = hash_of(c.name, c.dtype, c.group_name, c.group_description, c.group_ranks,
                                  c.in_elements, c.out_elements, c.group_size);
    return intern(profile_.collectives, collectives_, hash, c);
}

void ProfileBuilder::reserve(size_t host_spans, size_t device_spans) {
    HostSpans& h = profile_.host;
    h.begin.reserve(host_spans);
    h.dur.reserve(host_spans);
    h.track.reserve(host_spans);
    h.name.reserve(host_spans);
    h.kind.reserve(host_spans);
    h.flags.reserve(host_spans);
    h.detail.reserve(host_spans);
    profile_.device.begin.reserve(device_spans);
    profile_.device.dur.reserve(device_spans);
}

void ProfileBuilder::push_host(const HostSpan& span, uint32_t detail) {
    HostSpans& h = profile_.host;
    h.begin.push_back(span.begin);
    h.dur.push_back(span.dur);
    h.track.push_back(span.track);
    h.name.push_back(span.name);
    h.kind.push_back(span.kind);
    h.flags.push_back(span.flags);
    h.detail.push_back(detail);
}

void ProfileBuilder::add_op(const HostSpan& span, const OpDetail& detail) {
    OpDetails& d = profile_.op_details;
    push_host(span, static_cast<uint32_t>(d.size()));
    d.signature.push_back(detail.signature);
    d.sequence.push_back(detail.sequence);
    d.forward_thread.push_back(detail.forward_thread);
    d.external_id.push_back(detail.external_id);
    d.collective.push_back(detail.collective);
    d.module_path.push_back(detail.module_path);
    d.stack.push_back(detail.stack);
}

void ProfileBuilder::add_api(const HostSpan& span, int64_t correlation) {
    push_host(span, static_cast<uint32_t>(profile_.api_correlation.size()));
    profile_.api_correlation.push_back(correlation);
}

void ProfileBuilder::add_host(const HostSpan& span, uint32_t detail) {
    push_host(span, detail);
}

void ProfileBuilder::add_device(const DeviceSpan& span) {
    DeviceSpans& d = profile_.device;
    d.begin.push_back(span.begin);
    d.dur.push_back(span.dur);
    d.track.push_back(span.track);
    d.name.push_back(span.name);
    d.kind.push_back(span.kind);
    d.flags.push_back(span.flags);
    d.correlation.push_back(span.correlation);
    d.external_id.push_back(span.external_id);
    d.config.push_back(span.config);
    d.bytes.push_back(span.bytes);
    d.collective.push_back(span.collective);
}

void ProfileBuilder::add_memory(const MemoryEvent& event) {
    MemoryEvents& m = profile_.memory;
    m.time.push_back(event.time);
    m.track.push_back(event.track);
    m.address.push_back(event.address);
    m.bytes.push_back(event.bytes);
    m.total_allocated.push_back(event.total_allocated);
    m.total_reserved.push_back(event.total_reserved);
    m.device_type.push_back(event.device_type);
    m.device.push_back(event.device);
}

void ProfileBuilder::add_counter(int64_t time, TrackId track, StringId name, double value) {
    profile_.counters.time.push_back(time);
    profile_.counters.track.push_back(track);
    profile_.counters.name.push_back(name);
    profile_.counters.value.push_back(value);
}

Profile ProfileBuilder::finish() && {
    order_profile(profile_);
    return std::move(profile_);
}

}  // namespace opsight
