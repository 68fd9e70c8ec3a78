// What an Assembler can settle only when it has seen the whole trace.
#include <algorithm>

#include "import/kineto/assembler.h"
#include "import/kineto/numbers.h"
#include "import/kineto/rank_label.h"
#include "model/source_limits.h"

namespace opsight::importer::kineto {
namespace {

constexpr std::string_view kRowsOfDevicesMissing =
    "work was launched on a device of which the trace has no rows that Opsight knows: what the device did is "
    "not known";

}  // namespace

void Assembler::finish(const Header& header, const Diagnostics& diagnostics) {
    add_diagnostics(diagnostics);
    finish_of_threads();
    finish_spans();
    finish_async();
    finish_legacy_device();
    finish_flows();
    finish_names();
    builder_.join_memory_device(from_);
    builder_.number_collectives(from_);
    if (header.base_ns != 0 && !builder_.shift_times(from_, header.base_ns))
        builder_.diagnostics().add(Diag::kBadHeader, {file_, -1, -1, "baseTimeNanoseconds is out of range"});
}

void Assembler::add_span(const UnpairedEvent& begin, const UnpairedEvent* end, TrackId track) {
    HostSpan span = {begin.time, end ? std::max<int64_t>(0, end->time - begin.time) : 0,
                     track,      begin.name,
                     begin.kind, end ? uint8_t{0} : uint8_t{kUnfinished}};
    if (!end)
        builder_.diagnostics().add(Diag::kUnfinishedSpan,
                                   {file_, -1, -1, std::string(builder_.view(begin.name))});
    (span.kind == HostKind::kOther ? holds_others_ : knows_anything_) = true;
    if (span.kind == HostKind::kOp) return builder_.add_op(span, {});
    builder_.add_host(span, span.kind == HostKind::kOther ? begin.text.value : StringId::kNone);
}

// What tells its thread alone belongs to the process that has a thread of that number, where one alone has.
void Assembler::finish_of_threads() {
    using Thread = std::pair<uint32_t, int64_t>;        // rank and number
    std::map<Thread, std::optional<uint32_t>> threads;  // places by thread; none: several
    const auto thread = [](const ThreadKey& place) { return Thread(place.rank.value, place.tid); };
    for (uint32_t place = 0; place < places_.size(); ++place) {
        const ThreadKey& where = places_[place].place;
        if (!places_[place].host.valid() || !where.tid_is_number || where.pid == -1) continue;
        const auto [slot, is_new] = threads.try_emplace(thread(where), place);
        if (!is_new) slot->second.reset();
    }
    for (Batch::OfThread& call : of_threads_) {
        const auto told = static_cast<uint32_t>(call.span.track.index());
        const auto found = threads.find(thread(places_[told].place));
        const bool known = found != threads.end() && found->second;
        call.span.track = host_track(known ? *found->second : told, call.span.kind);
        knows_anything_ = true;
        if (call.span.kind == HostKind::kOverhead) {
            builder_.add_host(call.span, StringId::kNone);
        } else {
            calls_ = true;
            builder_.add_api(call.span, call.correlation, -1, StringId());
        }
    }
}

// Begins and ends ('B', 'E') nest per thread.
void Assembler::finish_spans() {
    std::vector<const UnpairedEvent*> marks;
    for (const UnpairedEvent& event : unpaired_)
        if (event.what == OtherRow::kBegin || event.what == OtherRow::kEnd) marks.push_back(&event);
    std::stable_sort(marks.begin(), marks.end(), [](const UnpairedEvent* a, const UnpairedEvent* b) {
        return a->place != b->place ? a->place < b->place : a->time < b->time;
    });
    std::vector<const UnpairedEvent*> open;
    const auto close_all = [&] {
        for (const UnpairedEvent* begin : open)
            add_span(*begin, nullptr, host_track(begin->place, begin->kind));
        open.clear();
    };
    for (const UnpairedEvent* mark : marks) {
        if (!open.empty() && open.back()->place != mark->place) close_all();
        if (mark->what == OtherRow::kBegin) {
            open.push_back(mark);
        } else if (open.empty()) {
            builder_.diagnostics().add(Diag::kEndWithoutBegin,
                                       {file_, -1, -1, std::string(builder_.view(mark->name))});
        } else {
            add_span(*open.back(), mark, host_track(mark->place, open.back()->kind));
            open.pop_back();
        }
    }
    close_all();
}

// Async begins and ends ('b', 'e') pair by category and id, across threads; they get rows of their own.
void Assembler::finish_async() {
    std::vector<const UnpairedEvent*> marks;
    for (const UnpairedEvent& event : unpaired_)
        if (event.what == OtherRow::kAsyncBegin || event.what == OtherRow::kAsyncEnd) marks.push_back(&event);
    std::stable_sort(marks.begin(), marks.end(),
                     [](const UnpairedEvent* a, const UnpairedEvent* b) { return a->time < b->time; });
    std::map<std::tuple<uint32_t, uint32_t, int64_t>, std::vector<const UnpairedEvent*>> open;
    const auto row = [&](const UnpairedEvent& begin) {
        return row_track(begin.place, "async " + std::string(builder_.view(begin.text)));
    };
    for (const UnpairedEvent* mark : marks) {
        std::vector<const UnpairedEvent*>& begins =
            open[{places_[mark->place].place.rank.value, mark->text.value, mark->id}];
        if (mark->what == OtherRow::kAsyncBegin) {
            begins.push_back(mark);
        } else if (begins.empty()) {
            builder_.diagnostics().add(Diag::kEndWithoutBegin,
                                       {file_, -1, -1, std::string(builder_.view(mark->name))});
        } else {
            add_span(*begins.back(), mark, row(*begins.back()));
            begins.pop_back();
        }
    }
    for (const auto& [key, begins] : open)
        for (const UnpairedEvent* begin : begins)
            add_span(*begin, nullptr, row(*begin));
}

void Assembler::finish_flows() {
    bool launches = false;
    for (FlowEnd flow : flows_) {
        launches |= flow.kind == FlowKind::kLaunch && flow.is_start;
        const auto place = static_cast<uint32_t>(flow.track.index());
        const KnownPlace& known = places_[place];
        const bool on_device = known.device.valid() && (!known.host.valid() || !flow.is_start);
        flow.track = on_device ? known.device : host_track(place, HostKind::kOp);
        builder_.add_flow(flow);
    }
    // Arrows to rows that the trace does not have, or that are not known as a device's. Where calls were
    // recorded, these tell what they launched: arrows begin at waits, too.
    if (launches && !calls_ && device_tracks_.empty())
        set_devices_untold(builder_.info(), std::string(kRowsOfDevicesMissing), UntoldDevices::kAny);
}

// Names of threads belong to one place, names of processes to all places with that pid.
void Assembler::finish_names() {
    std::map<std::tuple<uint32_t, int64_t, uint32_t>, std::pair<StringId, StringId>>
        processes;  // name, label
    const auto process = [&](const ThreadKey& place) -> auto& {
        return processes[{place.rank.value, place.pid, place.pid_text.value}];
    };
    for (const UnpairedEvent& meta : unpaired_) {
        if (meta.what != OtherRow::kMeta) continue;
        const KnownPlace& known = places_[meta.place];
        const std::string_view what = builder_.view(meta.name);
        const std::string_view text = builder_.view(meta.text);
        if (what == "process_name")
            process(known.place).first =
                ranks_by_number_.empty() ? meta.text : builder_.text(std::string(without_rank(text)));
        if (what == "process_labels" && !rank_of_label(text)) process(known.place).second = meta.text;
        if (what != "thread_name") continue;
        const bool of_stream = builder_.view(meta.text).starts_with("stream");
        if (known.host.valid() && !(of_stream && known.device.valid()))
            builder_.track(known.host).name = meta.text;
        for (const auto& [place, track] : device_tracks_)
            if (place == meta.place && (of_stream || !known.host.valid()))
                builder_.track(track).name = meta.text;
    }
    for (const KnownPlace& known : places_) {
        const auto& [name, label] = process(known.place);
        if (known.host.valid() && name.valid()) builder_.track(known.host).process_name = name;
    }
    for (const auto& [place, track] : device_tracks_) {
        const auto& [name, label] = process(places_[place].place);
        const StringId text = label.valid() ? label : name;
        if (text.valid()) builder_.track(track).process_name = text;
    }
}

}  // namespace opsight::importer::kineto
