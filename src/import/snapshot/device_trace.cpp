#include "import/snapshot/device_trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace opsight::importer::snapshot {
namespace {

using Value = Pickle::Value;

constexpr int64_t kMostBytes = int64_t{1}
                               << 50;  // of a block or segment; sums of 2^12 of them fit, and are checked

// What the segments of a device hold at the snapshot.
struct Held {
    std::map<uint64_t, Change> blocks;
    int64_t reserved = 0;
};

int64_t size_of(const Pickle& pickle, Value dict, std::string_view key) {
    const int64_t size = pickle.integer(pickle.at(dict, key), -1);
    return size >= 0 && size <= kMostBytes ? size : -1;
}

bool add(int64_t& sum, int64_t bytes) {
    return !__builtin_add_overflow(sum, bytes, &sum);
}

// Lists that were read. Python writes one list in many places as one value: a file could make us read a long
// one as often as it is long.
using Read = std::set<Value>;

std::span<const Value> items_once(const Pickle& pickle, Value list, Read& read) {
    return read.insert(list).second ? pickle.items(list) : std::span<const Value>();
}

// A block counts with what was asked for: so do the entries of the trace.
void take_segment(const Pickle& pickle, Value segment, Held& held, Read& read) {
    const int64_t total = size_of(pickle, segment, "total_size");
    if (total > 0) add(held.reserved, total);
    auto next = static_cast<uint64_t>(pickle.integer(pickle.at(segment, "address"), 0));
    for (const Value block : items_once(pickle, pickle.at(segment, "blocks"), read)) {
        const int64_t size = std::max<int64_t>(0, size_of(pickle, block, "size"));
        const Value told = pickle.at(block, "address");
        const uint64_t address =
            told == Pickle::kNone ? next : static_cast<uint64_t>(pickle.integer(told, 0));
        next = address + static_cast<uint64_t>(size);
        const std::string_view state = pickle.text(pickle.at(block, "state"));
        if (!state.starts_with("active")) continue;
        const int64_t asked = size_of(pickle, block, "requested_size");
        held.blocks[address] = {0, address, asked >= 0 ? asked : size, 0, pickle.at(block, "frames")};
    }
}

std::map<int64_t, Held> read_segments(const Pickle& pickle, Value segments) {
    std::map<int64_t, Held> devices;
    Read read;
    for (const Value segment : pickle.items(segments))
        if (pickle.kind(segment) == Pickle::Kind::kDict)
            take_segment(pickle, segment, devices[pickle.integer(pickle.at(segment, "device"), 0)], read);
    return devices;
}

class Trace {
  public:
    Trace(const Pickle& pickle, std::span<const Value> entries, DeviceTrace& out)
        : pickle_(pickle), entries_(entries), out_(out) {}

    void read() {
        look_at_actions();
        for (const Value entry : entries_)
            take(entry);
        if (!out_.changes.empty()) out_.first_us = out_.changes.front().time_us;
    }

    // What was freed, and is told nowhere to have been allocated, was held before. So is what is held in the
    // end.
    void look_back(const Held& held) {
        std::map<uint64_t, Change> before;
        std::unordered_map<uint64_t, bool> known;  // address: held at this moment
        int64_t allocated = 0, reserved = 0;
        for (const Change& change : out_.changes) {
            add(reserved, change.reserved_bytes);
            if (change.bytes == 0) continue;
            const bool first = known.emplace(change.address, false).second;
            if (first && change.bytes < 0)
                before[change.address] = {0, change.address, -change.bytes, 0, Pickle::kNone};
            known[change.address] = change.bytes > 0;
            add(allocated, change.bytes);
        }
        int64_t in_the_end = 0;
        for (const auto& [address, block] : held.blocks) {
            add(in_the_end, block.bytes);
            if (!known.contains(address) && block.bytes > 0) before[address] = block;
        }
        for (auto& [address, block] : before) {
            block.time_us = out_.first_us;
            add(allocated, block.bytes);
            out_.held_before.push_back(block);
        }
        out_.reserved_before = std::max<int64_t>(0, held.reserved - reserved);
        out_.unexplained = in_the_end - allocated;
    }

  private:
    // A tensor's memory is free for others once no stream uses it any more; where only the request is told,
    // with that.
    void look_at_actions() {
        bool requests = false, completions = false;
        for (const Value entry : entries_) {
            const std::string_view action = pickle_.text(pickle_.at(entry, "action"));
            requests |= action == "free_requested";
            completions |= action == "free_completed";
            out_.timed &= pickle_.at(entry, "time_us") != Pickle::kNone;
        }
        frees_by_request_ = requests && !completions;
    }

    void take(Value entry) {
        Change change;
        const int64_t told =
            out_.timed ? pickle_.integer(pickle_.at(entry, "time_us"), last_us_) : last_us_ + 1;
        last_us_ = change.time_us = started_ ? std::max(told, last_us_) : told;
        started_ = true;
        change.address = static_cast<uint64_t>(pickle_.integer(pickle_.at(entry, "addr"), 0));
        change.frames = pickle_.at(entry, "frames");
        const std::string_view action = pickle_.text(pickle_.at(entry, "action"));
        const int64_t size = size_of(pickle_, entry, "size");
        if (action.empty() || size < 0) {
            ++out_.unread;
        } else if (action == "alloc") {
            change.bytes = size;
        } else if (action == (frees_by_request_ ? "free_requested" : "free_completed")) {
            change.bytes = -size;
        } else if (action == "segment_alloc" || action == "segment_map") {
            change.reserved_bytes = size;
        } else if (action == "segment_free" || action == "segment_unmap") {
            change.reserved_bytes = -size;
        } else if (action == "oom") {
            out_.out_of_memory.push_back(
                {change.time_us, size, size_of(pickle_, entry, "device_free"), change.frames});
        } else if (action != "free_requested" && action != "snapshot" && action != "annotate") {
            ++out_.unread;
        }
        if (change.bytes != 0 || change.reserved_bytes != 0) out_.changes.push_back(change);
    }

    const Pickle& pickle_;
    std::span<const Value> entries_;
    DeviceTrace& out_;
    bool frees_by_request_ = false, started_ = false;
    int64_t last_us_ = 0;
};

}  // namespace

std::vector<DeviceTrace> read_traces(const Pickle& pickle) {
    const std::map<int64_t, Held> held = read_segments(pickle, pickle.at(pickle.root(), "segments"));
    const std::span<const Value> traces = pickle.items(pickle.at(pickle.root(), "device_traces"));
    std::map<int64_t, DeviceTrace> devices;
    for (const auto& [device, unused] : held)
        devices[device].device = device;
    for (size_t device = 0; device < traces.size(); ++device) {
        const std::span<const Value> entries = pickle.items(traces[device]);
        if (entries.empty()) continue;
        DeviceTrace& trace = devices[static_cast<int64_t>(device)];
        trace.device = static_cast<int64_t>(device);
    }
    std::vector<DeviceTrace> out;
    Read read;
    for (auto& [device, trace] : devices) {
        const auto index = static_cast<size_t>(device);
        const bool told = device >= 0 && index < traces.size();
        Trace reading(pickle, told ? items_once(pickle, traces[index], read) : std::span<const Value>(),
                      trace);
        reading.read();
        const auto found = held.find(device);
        reading.look_back(found == held.end() ? Held() : found->second);
        out.push_back(std::move(trace));
    }
    return out;
}

}  // namespace opsight::importer::snapshot
