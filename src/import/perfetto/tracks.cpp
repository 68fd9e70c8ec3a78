#include "import/perfetto/tracks.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/kineto/rank_label.h"
#include "import/perfetto/annotations.h"
#include "import/protobuf/fields.h"

namespace opsight::importer::perfetto {
namespace {

using protobuf::Field;
using protobuf::Fields;

constexpr int kMostAncestors = 64;
// Rows of what overlaps on the row above: Opsight's export puts it there, for slices of one row must nest.
constexpr std::string_view kLane = "overlapping ";

// Numbers of processes and threads have 32 bits.
int64_t id_of(const Field& field) {
    return static_cast<int32_t>(static_cast<uint32_t>(field.value));
}

constexpr int kLabels = 8;  // of ProcessDescriptor

// Of ProcessDescriptor and ThreadDescriptor: the numbers, and the name, which stands at `name_field`.
struct Owner {
    std::optional<int64_t> pid, tid;
    std::string_view name, rank;  // its label that names one
};
Owner read_owner(std::string_view message, int tid_field, int name_field) {
    Owner owner;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        if (field.is(1, Field::Type::kVarint)) owner.pid = id_of(field);
        if (field.is(tid_field, Field::Type::kVarint)) owner.tid = id_of(field);
        if (field.is(name_field, Field::Type::kBytes)) owner.name = field.bytes;
        if (field.is(kLabels, Field::Type::kBytes) && kineto::rank_of_label(field.bytes))
            owner.rank = field.bytes;
    }
    return owner;
}

}  // namespace

void Place::write(JsonWriter& event) const {
    pid ? event.field("pid", *pid) : event.field("pid", pid_text);
    tid ? event.field("tid", *tid) : event.field("tid", tid_text);
}

std::string Tracks::text(std::string_view bytes) {
    return clean_bytes(bytes, diagnostics_);
}

void Tracks::take(std::string_view descriptor, JsonWriter& events) {
    enum { kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8, kStaticName = 10 };
    uint64_t uuid = 0;
    Track told;
    Owner process, thread;
    Fields fields(descriptor);
    for (Field field; fields.next(field);) {
        if (field.is(kUuid, Field::Type::kVarint)) uuid = field.value;
        if (field.is(kParent, Field::Type::kVarint)) {
            told.parent = field.value;
            told.has_parent = true;
        }
        if (field.type != Field::Type::kBytes) continue;
        if (field.number == kName || field.number == kStaticName) told.name = text(field.bytes);
        if (field.number == kProcess) process = read_owner(field.bytes, 0, 6);
        if (field.number == kThread) thread = read_owner(field.bytes, 2, 5);
        if (field.number == kCounter) read_counter(field.bytes, told);
    }
    if (fields.is_damaged()) diagnostics_.add(Diag::kBadEvent, {{}, -1, -1, "a track that is damaged"});
    told.is_known = true;
    told.pid = thread.pid ? thread.pid : process.pid;
    told.tid = thread.tid;
    if (!thread.name.empty()) told.name = text(thread.name);
    Track& track = tracks_[uuid];
    told.sum = track.sum;
    track = std::move(told);
    if (process.pid && !process.name.empty()) name_process(events, *process.pid, text(process.name));
    if (process.pid && !process.rank.empty()) label_process(events, *process.pid, process.rank);
    if (!track.name.empty() && !(process.pid && !thread.tid)) {
        const std::string name = track.name;
        if (!name.starts_with(kLane)) name_thread(events, place(uuid), name);
    }
}

void Tracks::read_counter(std::string_view descriptor, Track& track) {
    Fields fields(descriptor);
    for (Field field; fields.next(field);) {
        if (field.is(4, Field::Type::kVarint)) track.unit = static_cast<double>(field.integer());
        if (field.is(5, Field::Type::kVarint)) track.incremental = field.value != 0;
    }
    if (track.unit == 0) track.unit = 1;
}

void Tracks::take_processes(std::string_view tree, JsonWriter& events) {
    enum { kProcesses = 1, kThreads = 2 };
    Fields fields(tree);
    for (Field field; fields.next(field);) {
        if (field.is(kProcesses, Field::Type::kBytes)) {
            const Owner process = read_owner(field.bytes, 0, 3);
            if (process.pid && !process.name.empty()) name_process(events, *process.pid, text(process.name));
        }
        if (!field.is(kThreads, Field::Type::kBytes)) continue;
        const Owner thread = read_owner(field.bytes, 3, 2);  // its first number is that of the thread
        if (!thread.pid || !thread.tid || thread.name.empty()) continue;
        Place place;
        place.pid = thread.tid;
        place.tid = thread.pid;
        name_thread(events, place, text(thread.name));
    }
}

const Place& Tracks::place(uint64_t uuid) {
    if (const Track& known = tracks_[uuid]; known.place) return *known.place;
    Place place = settle(uuid);
    Track& track = tracks_[uuid];
    track.place = std::move(place);
    return *track.place;
}

// A thread has numbers. Every other row has a name within the process above it, or within the topmost row.
Place Tracks::settle(uint64_t uuid) {
    Place place;
    const Track* track = &tracks_[uuid];
    if (!track->is_known && uuid != 0)
        diagnostics_.add(Diag::kDanglingId, {{}, -1, -1, fmt::format("track {}", uuid)});
    std::string_view name = track->name;
    for (int steps = 0; steps < kMostAncestors; ++steps) {
        if (track->pid || !track->has_parent) break;
        const auto above = tracks_.find(track->parent);
        if (above == tracks_.end()) break;
        const bool is_lane = name.starts_with(kLane);
        track = &above->second;
        if (is_lane) name = track->name;
        if (is_lane && track->tid) break;
    }
    const bool of_thread = track->tid && (track == &tracks_[uuid] || name == track->name);
    place.pid = track->pid;
    if (of_thread) place.tid = track->tid;
    if (!place.pid) place.pid_text = growth_.spend(track->name);
    if (!place.pid && place.pid_text.empty()) place.pid_text = "trace";
    if (!place.tid) place.tid_text = growth_.spend(name);
    if (!place.tid && place.tid_text.empty()) place.tid_text = fmt::format("track {}", uuid);
    return place;
}

void Tracks::name_process(JsonWriter& events, int64_t pid, std::string_view name) {
    events.line().object([&] {
        events.field("ph", "M").field("name", "process_name").field("pid", pid).field("tid", 0);
        events.object("args", [&] { events.field("name", name); });
    });
}

void Tracks::label_process(JsonWriter& events, int64_t pid, std::string_view label) {
    events.line().object([&] {
        events.field("ph", "M").field("name", "process_labels").field("pid", pid).field("tid", 0);
        events.object("args", [&] { events.field("labels", label); });
    });
}

void Tracks::name_thread(JsonWriter& events, const Place& place, std::string_view name) {
    events.line().object([&] {
        events.field("ph", "M").field("name", "thread_name");
        place.write(events);
        events.object("args", [&] { events.field("name", name); });
    });
}

}  // namespace opsight::importer::perfetto
