#include "import/kineto/assembler.h"

#include <algorithm>

#include "import/kineto/numbers.h"
#include "import/kineto/rank_label.h"
#include "import/text/clean_text.h"
#include "import/text/demangle.h"

namespace opsight::importer::kineto {
namespace {

constexpr size_t kMostRanks = size_t{1} << 16;
constexpr const char* kTooManyRanks = "more ranks than a job has";

}  // namespace

void Assembler::add(const Batch& batch) {
    Remap& map = workers_[batch.worker];
    learn(batch, map);
    add_host(batch, map);
    add_device(batch, map);
    add_legacy_device(batch, map);
    add_rest(batch, map);
    add_diagnostics(batch.diagnostics);
    events_ += batch.events;
    no_events_ += batch.no_events;
    knows_kineto_ |= batch.knows_kineto;
}

// Takes over what the worker's tables gained.
void Assembler::learn(const Batch& batch, Remap& map) {
    for (const std::string_view text : batch.new_strings)
        map.strings.push_back(builder_.text(text));
    for (size_t i = map.strings.size() - batch.new_strings.size(); i < map.strings.size(); ++i)
        learn_mangled(map.strings[i]);
    for (const Signature& s : batch.new_signatures)
        map.signatures.push_back(builder_.signature(
            {map.text(s.shapes), map.text(s.dtypes), map.text(s.concrete), map.text(s.strides)}));
    for (const LaunchConfig& config : batch.new_configs)
        map.configs.push_back(builder_.launch_config(config));
    for (Collective c : batch.new_collectives) {
        for (StringId* text : {&c.name, &c.dtype, &c.group_name, &c.group_description, &c.group_ranks})
            *text = map.text(*text);
        map.collectives.push_back(builder_.collective(c));
    }
    for (ThreadKey place : batch.new_threads) {
        place.pid_text = map.text(place.pid_text);
        place.tid_text = map.text(place.tid_text);
        place.rank = map.text(place.rank);
        if (place.of_merged()) learn_merged(place.rank);
        map.places.push_back(known_thread(place));
    }
    learn_ranks(batch, map);
    for (const DevicePlace& where : batch.new_device_places)
        map.device_places.push_back(device_track(where, map));
}

// The first rank that is named is the one that the trace began.
RankId Assembler::rank_numbered(std::optional<int64_t> number) {
    int64_t wanted = number.value_or(static_cast<int64_t>(ranks_by_number_.size()));
    while (!number && ranks_by_number_.contains(wanted))
        ++wanted;
    const auto [known, is_new] = ranks_by_number_.try_emplace(wanted, rank_);
    if (is_new) {
        if (ranks_by_number_.size() > 1) known->second = builder_.begin_rank({.source = file_});
        Rank& rank = builder_.rank(known->second);
        rank.number = wanted;
        rank.number_known = number.has_value();
    }
    return known->second;
}

std::vector<RankId> Assembler::ranks() const {
    std::vector<RankId> out{rank_};
    for (const auto& [name, rank] : ranks_of_merged_)
        if (rank != rank_) out.push_back(rank);
    return out;
}

// Labels stand before what runs in the process.
void Assembler::learn_ranks(const Batch& batch, const Remap& map) {
    for (const UnpairedEvent& meta : batch.unpaired) {
        if (meta.what != OtherRow::kMeta) continue;
        if (builder_.view(map.strings[meta.name.index()]) != "process_labels") continue;
        const auto number = rank_of_label(builder_.view(map.text(meta.text)));
        const ThreadKey& place = places_[map.places[meta.place]].place;
        if (!number || !place.pid_is_number || place.of_merged()) continue;
        if (ranks_by_number_.size() >= kMostRanks && !ranks_by_number_.contains(*number)) {
            builder_.diagnostics().add(Diag::kBadEvent, {file_, -1, -1, kTooManyRanks});
            continue;
        }
        ranks_of_processes_.try_emplace(place.pid, rank_numbered(number));
    }
}

void Assembler::learn_merged(StringId rank) {
    if (ranks_of_merged_.contains(rank.value)) return;
    if (ranks_by_number_.size() >= kMostRanks)
        return builder_.diagnostics().add(Diag::kBadEvent, {file_, -1, -1, kTooManyRanks});
    std::optional<int64_t> number = number_of_merged(builder_.view(rank));
    if (number && (*number < 0 || ranks_by_number_.contains(*number))) number.reset();
    ranks_of_merged_.emplace(rank.value, rank_numbered(number));
}

RankId Assembler::rank_of(const ThreadKey& place) const {
    if (const auto merged = ranks_of_merged_.find(place.rank.value); merged != ranks_of_merged_.end())
        return merged->second;
    const auto known = place.pid_is_number ? ranks_of_processes_.find(place.pid) : ranks_of_processes_.end();
    return known == ranks_of_processes_.end() ? rank_ : known->second;
}

// Kineto keeps the names that its demangler gave up on, and all of some ROCm versions, as the compiler made
// them.
void Assembler::learn_mangled(StringId name) {
    const std::string mangled(builder_.view(name));
    if (!mangled.starts_with("_Z")) return;
    std::string full = demangle(mangled);
    clean_text(full);
    if (full != mangled) demangled_.try_emplace(name.value, builder_.text(full));
}

StringId Assembler::readable(StringId name) const {
    const auto found = demangled_.find(name.value);
    return found == demangled_.end() ? name : found->second;
}

StringId Assembler::kernel_name(StringId name) {
    const StringId full = readable(name);
    if (full != name) builder_.name_kernel({full, StringId(size_t{0}), name});
    return full;
}

uint32_t Assembler::known_thread(const ThreadKey& p) {
    const PlaceKey key = {p.pid_is_number,  p.tid_is_number,  p.pid,       p.tid,
                          p.pid_text.value, p.tid_text.value, p.rank.value};
    const auto [slot, is_new] = place_index_.try_emplace(key, static_cast<uint32_t>(places_.size()));
    if (is_new) places_.push_back({p, {}, {}});
    return slot->second;
}

std::string Assembler::pid_text(const ThreadKey& place) const {
    return place.pid_is_number ? std::to_string(place.pid) : std::string(builder_.view(place.pid_text));
}

TrackId Assembler::device_track(const DevicePlace& where, const Remap& map) {
    const uint32_t place = map.places[where.place];
    const DeviceId device = builder_.device(rank_of(places_[place].place), where.device);
    if (std::string& name = builder_.device_info(device).name; where.mtia && name.empty()) name = "MTIA";
    const TrackId track = builder_.stream_track(where.kind, device, where.context, where.stream);
    if (!places_[place].device.valid() && where.kind == TrackKind::kDeviceStream)
        places_[place].device = track;
    device_tracks_.emplace_back(place, track);
    return track;
}

// A row of the source that is neither thread nor stream.
TrackId Assembler::row_track(uint32_t place, std::string_view row) {
    const ThreadKey& where = places_[place].place;
    return builder_.other_track(rank_of(where), pid_text(where), row);
}

TrackId Assembler::host_track(uint32_t index, HostKind kind) {
    KnownPlace& known = places_[index];
    if (known.host.valid()) return known.host;
    const ThreadKey& place = known.place;
    const std::string_view pid_name = builder_.view(place.pid_text), tid_name = builder_.view(place.tid_text);
    if (!place.pid_is_number && kind == HostKind::kOther)
        return known.host = row_track(index, place.tid_is_number ? std::to_string(place.tid) : tid_name);
    known.host =
        builder_.host_track(rank_of(place), place.pid_is_number ? place.pid : parse_id(pid_name).value,
                            place.tid_is_number ? place.tid : parse_id(tid_name).value);
    builder_.track(known.host).pid_text = place.pid_text;
    builder_.track(known.host).tid_text = place.tid_text;
    return known.host;
}

void Assembler::add_host(const Batch& batch, const Remap& map) {
    size_t op = 0, call = 0;
    for (size_t i = 0; i < batch.host.size(); ++i) {
        HostSpan span = batch.host[i];
        span.track = host_track(map.places[span.track.index()], span.kind);
        span.name = map.strings[span.name.index()];
        if (span.kind != HostKind::kOther)
            knows_anything_ = true;
        else if (!(span.flags & kInstant))
            holds_others_ = true;
        if (span.kind == HostKind::kOp) {
            if (!places_[map.places[batch.host[i].track.index()]].place.pid_is_number)
                legacy_ops_.insert(span.name);
            OpDetail detail = batch.ops[op++];
            if (detail.signature.valid()) detail.signature = map.signatures[detail.signature.index()];
            if (detail.collective.valid()) detail.collective = map.collectives[detail.collective.index()];
            detail.module_path = map.strings[detail.module_path.index()];
            detail.stack = map.strings[detail.stack.index()];
            builder_.add_op(span, detail);
        } else if (span.kind == HostKind::kRuntimeApi || span.kind == HostKind::kDriverApi) {
            calls_ = true;
            const Batch::Call& told = batch.api[call++];
            builder_.add_api(span, told.correlation, -1,
                             told.kernel.valid() ? readable(map.strings[told.kernel.index()]) : StringId());
        } else {
            const uint32_t detail = batch.detail[i];
            if (detail == StringId::kNone)
                builder_.add_host(span);
            else
                builder_.add_host(span, span.kind == HostKind::kAnnotation ? map.signatures[detail].value
                                                                           : map.strings[detail].value);
        }
    }
}

void Assembler::add_device(const Batch& batch, const Remap& map) {
    auto graph = batch.graphs.begin();
    for (size_t row = 0; row < batch.device.size(); ++row) {
        DeviceSpan span = batch.device[row];
        span.track = map.device_places[span.track.index()];
        span.name = map.strings[span.name.index()];
        if (span.kind == DeviceKind::kKernel && !demangled_.empty()) span.name = kernel_name(span.name);
        (span.kind == DeviceKind::kOther ? holds_others_ : knows_anything_) = true;
        if (span.config.valid()) span.config = map.configs[span.config.index()];
        if (span.collective.valid()) span.collective = map.collectives[span.collective.index()];
        builder_.add_device(span);
        if (graph == batch.graphs.end() || graph->row != row) continue;
        builder_.extend_device({.graph = graph->graph, .graph_node = graph->node});
        ++graph;
    }
}

void Assembler::add_legacy_device(const Batch& batch, const Remap& map) {
    for (DeviceSpan span : batch.legacy_device) {
        span.track = map.device_places[span.track.index()];
        span.name = map.strings[span.name.index()];
        legacy_device_.push_back(span);
    }
}

void Assembler::add_rest(const Batch& batch, const Remap& map) {
    for (Batch::OfThread call : batch.of_threads) {
        call.span.track = TrackId(map.places[call.span.track.index()]);
        call.span.name = map.strings[call.span.name.index()];
        of_threads_.push_back(call);
    }
    knows_anything_ |= !batch.memory.empty();
    counts_ |= !batch.counters.empty();
    for (MemoryEvent event : batch.memory) {
        event.track = host_track(map.places[event.track.index()], HostKind::kOp);
        builder_.add_memory(event);
    }
    for (const Batch::Counter& c : batch.counters) {
        const TrackId track =
            c.on_device ? map.device_places[c.track] : row_track(map.places[c.track], "counters");
        builder_.add_counter(c.time, track, map.strings[c.name.index()], c.value);
    }
    for (FlowEnd flow : batch.flows) {
        flow.track = TrackId(map.places[flow.track.index()]);
        flows_.push_back(flow);
    }
    for (UnpairedEvent event : batch.unpaired) {
        event.place = map.places[event.place];
        event.name = map.strings[event.name.index()];
        event.text = map.strings[event.text.index()];
        unpaired_.push_back(event);
    }
}

void Assembler::add_diagnostics(const Diagnostics& diagnostics) {
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i) {
        const auto kind = static_cast<Diag>(i);
        int64_t count = diagnostics.count(kind);
        for (DiagOccurrence where : diagnostics.first(kind)) {
            where.file = file_;
            if (!has_places_) where.offset = -1;
            builder_.diagnostics().add(kind, std::move(where));
            --count;
        }
        if (count > 0) builder_.diagnostics().add(kind, {}, count);
    }
}

}  // namespace opsight::importer::kineto
