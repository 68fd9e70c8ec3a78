#include "import/perfetto/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/time.h"
#include "import/perfetto/annotations.h"
#include "import/perfetto/words.h"
#include "import/protobuf/numbers.h"

namespace opsight::importer::perfetto {
namespace {

using protobuf::Field;
using protobuf::Fields;

enum Type { kUnspecified, kBegin, kEnd, kInstant, kCounter };

// Field numbers of TrackEvent.
enum {
    kCategoryNumbers = 3,
    kAnnotation = 4,
    kLegacy = 6,
    kType = 9,
    kNameNumber = 10,
    kTrack = 11,
    kExtraValues = 12,
    kCategories = 22,
    kName = 23,
    kValue = 30,
    kExtraCounters = 31,
    kOldFlows = 36,
    kOldEndingFlows = 42,
    kRealValue = 44,
    kExtraRealCounters = 45,
    kExtraRealValues = 46,
    kFlows = 47,
    kEndingFlows = 48
};

constexpr size_t kMostLookedAt = 1024;  // open slices of a track, for the one that an end is of

// Of "123.456".
std::string micros(int64_t ns) {
    const uint64_t size = ns < 0 ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

// The members of an object.
std::string inside(std::string_view object) {
    return object.size() < 2 ? std::string() : std::string(object.substr(1, object.size() - 2));
}

void join(std::string& to, std::string_view more, std::string_view between) {
    if (!to.empty() && !more.empty()) to += between;
    to += more;
}

}  // namespace

std::string Events::text_of(const Sequence& sequence, Interned kind, uint64_t number) {
    if (const std::string* known = sequence.find(kind, number)) return std::string(growth_.spend(*known));
    diagnostics_.add(Diag::kDanglingId, {{}, -1, -1, fmt::format("text {}", number)});
    return "(name lost)";
}

Events::Told Events::read(std::string_view event, const Sequence& sequence) {
    Told told;
    told.track = sequence.track;
    JsonWriter arguments;
    arguments.begin_object();
    Annotations annotations(sequence, diagnostics_, growth_);
    Fields fields(event);
    for (Field field; fields.next(field);)
        if (field.is(kAnnotation, Field::Type::kBytes))
            annotations.add(arguments, field.bytes);
        else
            read_field(field, sequence, told);
    arguments.end_object();
    told.arguments = inside(arguments.take());
    if (fields.is_damaged()) diagnostics_.add(Diag::kBadEvent, {{}, -1, -1, "an event that is damaged"});
    return told;
}

void Events::read_field(const Field& field, const Sequence& sequence, Told& told) {
    switch (field.number) {
        case kCategoryNumbers:
            return protobuf::each_number(field, [&](uint64_t number) {
                join(told.category, text_of(sequence, Interned::kCategory, number), ",");
            });
        case kCategories:
            return join(told.category, clean_bytes(field.bytes, diagnostics_), ",");
        case kLegacy:
            return read_legacy(field.bytes, sequence, told);
        case kType:
            told.type = static_cast<int>(std::min<uint64_t>(field.value, 100));
            return;
        case kNameNumber:
            told.name = text_of(sequence, Interned::kName, field.value);
            return;
        case kName:
            told.name = clean_bytes(field.bytes, diagnostics_);
            return;
        case kTrack:
            told.track = field.value;
            return;
        case kValue:
            told.values.assign(1, static_cast<double>(field.integer()));
            return;
        case kRealValue:
            told.values.assign(1, std::bit_cast<double>(field.value));
            return;
        default:
            return read_numbers(field, told);
    }
}

// Numbers that may come several times.
void Events::read_numbers(const Field& field, Told& told) {
    const auto add_to = [](auto& list) { return [&list](uint64_t value) { list.push_back(value); }; };
    const auto own = [](auto& list) -> std::vector<uint64_t>& { return list ? *list : list.emplace(); };
    switch (field.number) {
        case kExtraCounters:
            return protobuf::each_number(field, add_to(own(told.counters)));
        case kExtraRealCounters:
            return protobuf::each_number(field, add_to(own(told.real_counters)));
        case kExtraValues:
            return protobuf::each_number(field, [&](uint64_t value) {
                told.extra.push_back(static_cast<double>(static_cast<int64_t>(value)));
            });
        case kExtraRealValues:
            return protobuf::each_fixed(
                field, [&](uint64_t value) { told.extra_real.push_back(std::bit_cast<double>(value)); });
        case kOldFlows:
            return protobuf::each_number(field, add_to(told.flows));
        case kFlows:
            return protobuf::each_fixed(field, add_to(told.flows));
        case kOldEndingFlows:
            return protobuf::each_number(field, add_to(told.ending_flows));
        case kEndingFlows:
            return protobuf::each_fixed(field, add_to(told.ending_flows));
        default:
            return;
    }
}

// What Chrome's own macros of before 2020 leave: a phase instead of a type.
void Events::read_legacy(std::string_view event, const Sequence& sequence, Told& told) {
    enum {
        kNameOf = 1,
        kPhase = 2,
        kDur = 3,
        kUnscoped = 6,
        kLocal = 10,
        kGlobal = 11,
        kPid = 18,
        kTid = 19
    };
    Fields fields(event);
    for (Field field; fields.next(field);) {
        if (field.type != Field::Type::kVarint) continue;
        const auto id = [&field] { return static_cast<int32_t>(static_cast<uint32_t>(field.value)); };
        if (field.number == kNameOf) told.name = text_of(sequence, Interned::kName, field.value);
        if (field.number == kPhase) told.phase = field.value < 127 ? static_cast<char>(field.value) : '?';
        if (field.number == kDur)
            told.dur = static_cast<int64_t>(std::min<uint64_t>(field.value, kMaxNs / 1000)) * 1000;
        if (field.number == kUnscoped || field.number == kLocal || field.number == kGlobal)
            told.id = field.value;
        if (field.number == kPid) told.pid = id();
        if (field.number == kTid) told.tid = id();
    }
}

void Events::take(std::string_view event, const Sequence& sequence, uint32_t sequence_number, int64_t time) {
    Told told = read(event, sequence);
    told.time = time;
    told.sequence = sequence_number;
    ++count_;
    put_counters(told.counters ? *told.counters : sequence.counters, told.extra, time);
    put_counters(told.real_counters ? *told.real_counters : sequence.real_counters, told.extra_real, time);
    put(std::move(told));
}

void Events::put_counters(const std::vector<uint64_t>& counters, const std::vector<double>& values,
                          int64_t time) {
    for (size_t i = 0; i < values.size() && i < counters.size(); ++i)
        put_counter(counters[i], time, values[i]);
}

void Events::put(Told told) {
    if (told.type == kUnspecified) {
        if (told.phase == 'B') told.type = kBegin;
        if (told.phase == 'E') told.type = kEnd;
        if (told.phase == 'i' || told.phase == 'I' || told.phase == 'n') told.type = kInstant;
    }
    switch (told.type) {
        case kBegin:
            growth_.hold(told.size());
            put_closed(told.track);
            open_[told.track].push_back(std::move(told));
            return;
        case kEnd:
            return end(told);
        case kInstant:
            return put_span(told, "i", -1);
        case kCounter:
            if (told.values.empty()) {
                diagnostics_.add(Diag::kBadEvent, {{}, -1, told.time, "a counter without a value"});
                return;
            }
            return put_counter(told.track, told.time, told.values[0]);
        default:
            break;
    }
    if (told.phase == 'X') return put_span(told, "X", told.dur);
    if (told.phase == 'b' || told.phase == 'e') return put_span(told, told.phase == 'b' ? "b" : "e", -1);
    const std::string what = told.phase ? std::string(1, told.phase) : fmt::format("type {}", told.type);
    diagnostics_.add(Diag::kUnknownPhase, {{}, -1, told.time, what});
}

// Of the slice that began last on the track: by the same writer if one did, for those of others may stand
// elsewhere in the file.
void Events::end(const Told& told) {
    std::vector<Told>& open = open_[told.track];
    const size_t least = open.size() > kMostLookedAt ? open.size() - kMostLookedAt : 0;
    size_t found = open.size();
    for (size_t i = open.size(); i > least && found == open.size(); --i)
        if (open[i - 1].sequence == told.sequence) found = i - 1;
    for (size_t i = open.size(); i > least && found == open.size(); --i)
        if (open[i - 1].time <= told.time) found = i - 1;
    if (found == open.size()) {
        diagnostics_.add(Diag::kEndWithoutBegin, {{}, -1, told.time, told.name});
        return;
    }
    Told slice = std::move(open[found]);
    growth_.release(slice.size());
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(found));
    const bool may_be_within_alike = !open.empty() && open.back().time == slice.time;
    join(slice.arguments, told.arguments, ",");
    slice.flows.insert(slice.flows.end(), told.flows.begin(), told.flows.end());
    slice.ending_flows.insert(slice.ending_flows.end(), told.ending_flows.begin(), told.ending_flows.end());
    std::vector<Closed>& closed = closed_[told.track];
    if (!closed.empty() && (closed.back().slice.time != slice.time || closed.back().end != told.time))
        put_closed(told.track);
    growth_.hold(slice.size());
    closed.push_back({std::move(slice), told.time});
    if (!may_be_within_alike) put_closed(told.track);
}

// Of slices that begin and end alike the outer one ends last, and comes first: of events of Chrome only their
// order tells which is in which.
void Events::put_closed(uint64_t track) {
    std::vector<Closed>& closed = closed_[track];
    for (; !closed.empty(); closed.pop_back()) {
        const Told& slice = closed.back().slice;
        growth_.release(slice.size());
        put_span(slice, "X", closed.back().end - slice.time);
    }
}

Place Events::place_of(const Told& told) {
    Place place = tracks.place(told.track);
    if (told.pid) place.pid = told.pid;
    if (told.tid) place.tid = told.tid;
    return place;
}

// Each event writes the names of its row anew.
bool Events::is_affordable(const Place& place, size_t more) {
    return growth_.take(place.pid_text.size() + place.tid_text.size() + more);
}

// Kernels that a trace tells twice count in the way in which it tells the first. What HIP asked for beside
// kernels has no GPU.
std::string_view Events::category_for(const Told& told) {
    const bool by_hip = told.category == kHipOps;
    if (by_hip && told.arguments.find("\"Agent ID\"") == told.arguments.npos) return told.category;
    if (by_hip || told.category == kDispatches) {
        if (kernels_told_as_.empty()) kernels_told_as_ = told.category;
        if (kernels_told_as_ != told.category) return told.category;
    }
    return category_of(told.category);
}

// `dur` -1: it has none.
void Events::put_span(const Told& told, std::string_view phase, int64_t dur) {
    const Place place = place_of(told);
    if (!is_affordable(place, told.name.size() + told.arguments.size())) return;
    const std::string_view category = category_for(told);
    // Of two members of one name the first counts.
    std::string arguments;
    if (category != told.category) arguments = inside(more_arguments("{" + told.arguments + "}", category));
    join(arguments, told.arguments, ",");
    json_.line().object([&] {
        json_.field("ph", phase).field("cat", category).field("name", told.name);
        place.write(json_);
        json_.key("ts").raw(micros(told.time));
        if (phase == "X") json_.key("dur").raw(micros(dur));
        if (told.id != 0) json_.field("id", told.id);
        if (!arguments.empty()) json_.key("args").raw("{" + arguments + "}");
    });
    put_flows(told, place, category);
}

// The first event that has the number of a flow is its begin, unless the flow ends there.
void Events::put_flows(const Told& told, const Place& place, std::string_view category) {
    const bool launches = is_call(category) || is_device_work(category);
    const std::string_view kind = launches ? "ac2g" : "flow";
    for (const uint64_t id : told.flows) {
        const bool begins = begun_flows_.insert(id).second;
        put_arrow(begins ? "s" : "f", kind, place, told.time, id);
    }
    for (const uint64_t id : told.ending_flows) {
        put_arrow("f", kind, place, told.time, id);
        begun_flows_.erase(id);
    }
}

void Events::put_arrow(std::string_view phase, std::string_view kind, const Place& place, int64_t time,
                       uint64_t id) {
    if (!is_affordable(place)) return;
    json_.line().object([&] {
        json_.field("ph", phase).field("cat", kind).field("name", kind).field("id", id);
        place.write(json_);
        json_.key("ts").raw(micros(time));
        if (phase == "f") json_.field("bp", "e");
    });
}

void Events::put_counter(uint64_t uuid, int64_t time, double value) {
    const Place place = tracks.place(uuid);
    if (!is_affordable(place)) return;
    Track& track = tracks.at(uuid);
    value *= track.unit;
    if (track.incremental) value = track.sum += value;
    json_.line().object([&] {
        json_.field("ph", "C").field("name", place.tid_text);
        json_.field("pid", place.pid.value_or(0)).field("tid", 0);
        json_.key("ts").raw(micros(time));
        json_.object("args", [&] { json_.field("value", value); });
    });
}

void Events::finish() {
    for (auto& [track, closed] : closed_)
        put_closed(track);
    for (auto& [track, open] : open_)
        for (const Told& told : open)
            put_span(told, "B", -1);
    open_.clear();
}

}  // namespace opsight::importer::perfetto
