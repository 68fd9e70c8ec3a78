#include "model/profile_builder.h"

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "model/join_ranks.h"
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
    profile_.ranks.push_back(std::move(rank));
    return RankId(profile_.ranks.size() - 1);
}

void ProfileBuilder::settle_ranks() {
    absl::flat_hash_set<int64_t> taken;
    for (const bool known : {true, false}) {
        for (Rank& rank : profile_.ranks) {
            if (rank.number_known != known) continue;
            const int64_t wanted = rank.number;
            while (!taken.insert(rank.number).second)
                rank.number = rank.number < INT64_MAX ? rank.number + 1 : 0;
            if (!known) diagnostics().add(Diag::kRankMissing, {rank.source, -1, -1, {}});
            if (known && rank.number != wanted)
                diagnostics().add(Diag::kRankDuplicate,
                                  {rank.source, -1, -1, "rank " + std::to_string(wanted)});
        }
    }
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

TrackId ProfileBuilder::stream_track(TrackKind kind, DeviceId device, int64_t context, int64_t stream,
                                     int64_t pid) {
    auto [it, is_new] = stream_tracks_.try_emplace(
        {static_cast<uint8_t>(kind), device.value, context, stream, pid}, TrackId(profile_.tracks.size()));
    if (is_new) {
        Track track;
        track.kind = kind;
        track.rank = profile_.devices[device.index()].rank;
        track.device = device;
        track.pid = pid;
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
    const uint64_t hash =
        hash_of(c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2], c.registers_per_thread,
                c.static_shared_bytes, c.dynamic_shared_bytes, c.source_occupancy_pct, c.source_blocks_per_sm,
                c.source_warps_per_sm, c.local_bytes_per_thread, c.shared_executed_bytes, c.cluster[0],
                c.cluster[1], c.cluster[2], c.launch_type);
    return intern(profile_.launch_configs, launch_configs_, hash, c);
}

TransferId ProfileBuilder::transfer(const Transfer& t) {
    const uint64_t hash = hash_of(t.copy, t.from, t.to, t.from_device, t.to_device, t.from_context,
                                  t.to_context, t.value, t.migration_cause, t.copies);
    return intern(profile_.transfers, transfers_, hash, t);
}

NvtxAttributesId ProfileBuilder::nvtx_attributes(const NvtxAttributes& a) {
    const uint64_t hash = hash_of(a.type, a.domain, a.domain_name, a.category, a.category_name, a.color);
    return intern(profile_.nvtx_attributes, nvtx_attributes_, hash, a);
}

ToldOpId ProfileBuilder::told_op(const ToldOp& op) {
    const uint64_t hash = hash_of(op.name, op.type, op.layer, op.framework, op.shapes, op.dtypes, op.flops,
                                  op.bytes, op.is_product);
    return intern(profile_.told_ops, told_ops_, hash, op);
}

void ProfileBuilder::name_kernel(const KernelNames& names) {
    if (named_kernels_.insert(names.name).second) profile_.kernel_names.push_back(names);
}

CollectiveId ProfileBuilder::collective(const Collective& c) {
    const uint64_t hash = hash_of(c.name, c.dtype, c.group_name, c.group_description, c.group_ranks,
                                  c.in_elements, c.out_elements, c.group_size);
    return intern(profile_.collectives, collectives_, hash, c);
}

RowCounts ProfileBuilder::row_counts() const {
    const Profile& p = profile_;
    return {p.host.size(),        p.op_details.size(), p.api_correlation.size(), p.device.size(),
            p.memory.size(),      p.counters.size(),   p.flows.size(),           p.page_faults.size(),
            p.graph_nodes.size(), p.samples.size()};
}

void ProfileBuilder::reserve(const RowCounts& rows) {
    const auto each = [](size_t count, auto&... columns) { (columns.reserve(count), ...); };
    HostSpans& h = profile_.host;
    OpDetails& o = profile_.op_details;
    DeviceSpans& d = profile_.device;
    MemoryEvents& m = profile_.memory;
    each(rows.host, h.begin, h.dur, h.track, h.name, h.kind, h.flags, h.detail);
    each(rows.ops, o.signature, o.sequence, o.forward_thread, o.external_id, o.collective, o.module_path,
         o.stack);
    each(rows.api, profile_.api_correlation, profile_.api_result, profile_.api_kernel);
    each(rows.device, d.begin, d.dur, d.track, d.name, d.kind, d.flags, d.correlation, d.external_id,
         d.config, d.bytes, d.collective, d.transfer);
    each(rows.memory, m.time, m.track, m.address, m.bytes, m.total_allocated, m.total_reserved, m.device_type,
         m.device, m.kind, m.stack);
    each(rows.counters, profile_.counters.time, profile_.counters.track, profile_.counters.name,
         profile_.counters.value);
    each(rows.samples, profile_.samples.time, profile_.samples.track, profile_.samples.cpu,
         profile_.samples.stack);
    each(rows.flows, profile_.flows);
}

void ProfileBuilder::join_memory_device(const RowCounts& from) {
    Profile& p = profile_;
    DeviceId worked;
    for (size_t i = from.device; i < p.device.size(); ++i) {
        const DeviceId device = p.tracks[p.device.track[i].index()].device;
        if (!device.valid() || p.device.kind[i] == DeviceKind::kAnnotation) continue;
        if (worked.valid() && !(worked == device)) return;
        worked = device;
    }
    if (!worked.valid()) return;
    const int64_t number = p.devices[worked.index()].number;
    int32_t told = -1;
    for (size_t i = from.memory; i < p.memory.size(); ++i) {
        if (p.memory.device_type[i] == 0) continue;
        if (told >= 0 && p.memory.device[i] != told) return;
        told = p.memory.device[i];
    }
    if (told < 0 || told == number || number > INT32_MAX) return;
    for (size_t i = from.memory; i < p.memory.size(); ++i)
        if (p.memory.device_type[i] != 0) p.memory.device[i] = static_cast<int32_t>(number);
}

void ProfileBuilder::number_collectives(const RowCounts& from) {
    const OpDetails& ops = profile_.op_details;
    absl::flat_hash_map<int64_t, int64_t> numbers;
    for (size_t i = from.ops; i < ops.collective_numbers.size(); ++i)
        if (ops.collective_numbers[i] >= 0 && ops.external_id[i] > 0)
            numbers.try_emplace(ops.external_id[i], ops.collective_numbers[i]);
    if (numbers.empty()) return;
    DeviceSpans& d = profile_.device;
    d.collective_numbers.resize(d.size(), -1);
    for (size_t i = from.device; i < d.size(); ++i) {
        if (d.kind[i] != DeviceKind::kKernel || d.collective_numbers[i] >= 0) continue;
        const auto found = numbers.find(d.external_id[i]);
        if (found != numbers.end()) d.collective_numbers[i] = found->second;
    }
}

bool ProfileBuilder::shift_times(const RowCounts& from, int64_t by) {
    Profile& p = profile_;
    int64_t first = 0, last = 0;
    const auto take = [&](int64_t begin, int64_t dur) {
        first = std::min(first, begin);
        last = std::max(last, begin + dur);
    };
    for (size_t i = from.host; i < p.host.size(); ++i)
        take(p.host.begin[i], p.host.dur[i]);
    for (size_t i = from.device; i < p.device.size(); ++i)
        take(p.device.begin[i], p.device.dur[i]);
    for (size_t i = from.memory; i < p.memory.size(); ++i)
        take(p.memory.time[i], 0);
    for (size_t i = from.counters; i < p.counters.size(); ++i)
        take(p.counters.time[i], 0);
    for (size_t i = from.samples; i < p.samples.size(); ++i)
        take(p.samples.time[i], 0);
    for (size_t i = from.flows; i < p.flows.size(); ++i)
        take(p.flows[i].time, 0);
    for (size_t i = from.faults; i < p.page_faults.size(); ++i)
        take(p.page_faults[i].time, p.page_faults[i].dur);
    for (size_t i = from.graph_nodes; i < p.graph_nodes.size(); ++i)
        take(p.graph_nodes[i].time, 0);
    if (by > kMaxNs || by < -kMaxNs || last > kMaxNs - std::max<int64_t>(by, 0) ||
        first < -kMaxNs - std::min<int64_t>(by, 0))
        return false;
    const auto shift = [by](std::vector<int64_t>& times, size_t first_row) {
        for (size_t i = first_row; i < times.size(); ++i)
            times[i] += by;
    };
    shift(p.host.begin, from.host);
    shift(p.device.begin, from.device);
    shift(p.memory.time, from.memory);
    shift(p.counters.time, from.counters);
    shift(p.samples.time, from.samples);
    for (size_t i = from.flows; i < p.flows.size(); ++i)
        p.flows[i].time += by;
    for (size_t i = from.faults; i < p.page_faults.size(); ++i)
        p.page_faults[i].time += by;
    for (size_t i = from.graph_nodes; i < p.graph_nodes.size(); ++i)
        p.graph_nodes[i].time += by;
    return true;
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
    if (detail.record_function >= 0) {
        d.record_functions.resize(d.external_id.size(), -1);
        d.record_functions.back() = detail.record_function;
    }
    if (detail.collective_number >= 0) {
        d.collective_numbers.resize(d.external_id.size(), -1);
        d.collective_numbers.back() = detail.collective_number;
    }
    d.collective.push_back(detail.collective);
    d.module_path.push_back(detail.module_path);
    d.stack.push_back(detail.stack);
}

void ProfileBuilder::add_api(const HostSpan& span, int64_t correlation, int32_t result, StringId kernel) {
    push_host(span, static_cast<uint32_t>(profile_.api_correlation.size()));
    profile_.api_correlation.push_back(correlation);
    profile_.api_result.push_back(result);
    profile_.api_kernel.push_back(kernel);
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
    if (span.collective_number >= 0) {
        d.collective_numbers.resize(d.begin.size(), -1);
        d.collective_numbers.back() = span.collective_number;
    }
    if (span.exchange.told()) {
        d.exchanges.resize(d.begin.size());
        d.exchanges.back() = span.exchange;
    }
    if (span.ranges.valid()) {
        d.ranges.resize(d.begin.size());
        d.ranges.back() = span.ranges;
    }
    TransferId told = span.transfer;
    if (!told.valid() && (span.kind == DeviceKind::kMemcpy || span.kind == DeviceKind::kMemset)) {
        const auto [it, is_new] = transfers_by_name_.try_emplace(span.name);
        if (is_new) it->second = transfer(transfer_of_name(view(span.name)));
        told = it->second;
    }
    d.transfer.push_back(told);
}

void ProfileBuilder::extend_device(const DeviceExtra& extra) {
    DeviceExtras& e = profile_.device_extras;
    e.row.push_back(static_cast<uint32_t>(profile_.device.size() - 1));
    e.graph.push_back(extra.graph);
    e.graph_node.push_back(extra.graph_node);
    e.green_context.push_back(extra.green_context);
    e.address.push_back(extra.address);
    e.event.push_back(extra.event);
}

void ProfileBuilder::extend_device(ToldOpId op) {
    profile_.told_work.row.push_back(static_cast<uint32_t>(profile_.device.size() - 1));
    profile_.told_work.op.push_back(op);
}

void ProfileBuilder::extend_nvtx(const NvtxRange& range) {
    NvtxRanges& n = profile_.nvtx;
    n.row.push_back(last_host_row());
    n.track.push_back(range.track);
    n.end_track.push_back(range.end_track);
    n.text.push_back(range.text);
    n.attributes.push_back(range.attributes);
}

void ProfileBuilder::extend_payload(NvtxPayload payload) {
    payload.row = last_host_row();
    profile_.nvtx_payloads.push_back(payload);
}

void ProfileBuilder::extend_counters(const std::array<int64_t, kCounterSlots>& counted) {
    OpCounters& all = profile_.op_counters;
    for (size_t slot = 0; slot < kCounterSlots; ++slot) {
        std::vector<int64_t>& values = all.slots[slot];
        if (values.empty() && counted[slot] < 0) continue;
        values.resize(all.size(), -1);  // nothing told of it before
        values.push_back(counted[slot]);
    }
    all.row.push_back(last_host_row());
}

void ProfileBuilder::extend_call_chain(StringId stack) {
    profile_.call_chains.push_back({last_host_row(), stack});
}

void ProfileBuilder::extend_message(Message message) {
    message.row = last_host_row();
    profile_.messages.push_back(message);
}

void ProfileBuilder::add_memory(const MemoryEvent& event) {
    if (event.bytes < -kMostMemoryBytes || event.bytes > kMostMemoryBytes)
        return diagnostics().add(
            Diag::kBadEvent,
            {{}, -1, event.time, fmt::format("a change of memory by {} bytes", event.bytes)});
    MemoryEvents& m = profile_.memory;
    m.time.push_back(event.time);
    m.track.push_back(event.track);
    m.address.push_back(event.address);
    m.bytes.push_back(event.bytes);
    m.total_allocated.push_back(event.total_allocated);
    m.total_reserved.push_back(event.total_reserved);
    m.device_type.push_back(event.device_type);
    m.device.push_back(event.device);
    m.kind.push_back(static_cast<int8_t>(event.kind));
    m.stack.push_back(event.stack);
}

void ProfileBuilder::add_counter(int64_t time, TrackId track, StringId name, double value) {
    profile_.counters.time.push_back(time);
    profile_.counters.track.push_back(track);
    profile_.counters.name.push_back(name);
    profile_.counters.value.push_back(value);
}

void ProfileBuilder::add_sample(int64_t time, TrackId track, int32_t cpu, StringId stack) {
    profile_.samples.time.push_back(time);
    profile_.samples.track.push_back(track);
    profile_.samples.cpu.push_back(cpu);
    profile_.samples.stack.push_back(stack);
}

void ProfileBuilder::join(RankId from, int64_t shift, const RecordingPause& pause) {
    shift_rank(profile_, from, shift);
    profile_.pauses.push_back(pause);
    join_ranks(profile_, pause.rank, from);
}

Profile ProfileBuilder::finish() && {
    settle_ranks();
    order_profile(profile_);
    return std::move(profile_);
}

}  // namespace opsight
