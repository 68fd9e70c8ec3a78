#include "import/perfetto/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "import/perfetto/annotations.h"
#include "import/perfetto/inflate.h"
#include "import/perfetto/packets.h"

namespace opsight::importer::perfetto {
namespace {

using protobuf::Field;
using protobuf::Fields;

constexpr int kPacketOfTrace = 1;
constexpr size_t kChunk = size_t{1} << 16;
constexpr size_t kMostPacked = size_t{64} << 20;  // bytes of packets that were compressed together

}  // namespace

struct TraceSource::Packet {
    uint32_t sequence = 0;
    uint64_t time = 0, flags = 0;
    uint32_t clock = 0;
    bool has_time = false, has_clock = false, lost_before = false;
    std::string_view event, interned, defaults, snapshot, track, processes, compressed;
    int other = 0;  // field of other data
};

TraceSource::TraceSource(ByteSource& packed)
    : packed_(packed), parts_(packed), events_(json_, diagnostics_, growth_) {
    json_.begin_object().key("traceEvents").begin_list();
}

Result<size_t> TraceSource::read(char* to, size_t size) {
    while (used_ == text_.size() && !ended_) {
        text_.clear();
        used_ = 0;
        while (text_.size() < kChunk && !ended_) {
            OPSIGHT_TRY(next());
            text_ += json_.take();
            OPSIGHT_TRY(check_growth());
        }
    }
    const size_t got = std::min(size, text_.size() - used_);
    std::memcpy(to, text_.data() + used_, got);
    used_ += got;
    return got;
}

Status TraceSource::check_growth() {
    if (!growth_.is_too_much()) return {};
    return fail("is damaged or made to do harm: its events name so long texts that it grows a thousandfold",
                {}, fmt::format("byte {}", parts_.bytes()), "record again");
}

Status TraceSource::next() {
    OPSIGHT_ASSIGN(const bool any, parts_.next(part_));
    if (!any) {
        end();
        return {};
    }
    if (part_.is_cut) {
        damage_ = "the trace ends inside of a packet";
        end();
        return {};
    }
    growth_.set_read(parts_.bytes() + unpacked_);
    if (part_.number == kPacketOfTrace)
        take(part_.bytes, 0);
    else
        ++unread_["field " + std::to_string(part_.number)];
    return {};
}

void TraceSource::end() {
    events_.finish();
    json_.line().end_list();
    if (const std::optional<int64_t> origin = clocks_.origin()) json_.field("baseTimeNanoseconds", *origin);
    json_.end_object();
    if (damage_.empty()) damage_ = packed_.damage();
    ended_ = true;
}

void TraceSource::take(std::string_view message, int depth) {
    Packet packet;
    Fields fields(message);
    for (Field field; fields.next(field);) {
        const bool number = field.type == Field::Type::kVarint, bytes = field.type == Field::Type::kBytes;
        switch (field.number) {
            case packet::kTime:
                packet.has_time |= number;
                packet.time = field.value;
                break;
            case packet::kSequence:
                packet.sequence = static_cast<uint32_t>(field.value);
                break;
            case packet::kFlags:
                packet.flags = field.value;
                break;
            case packet::kClock:
                packet.has_clock |= number;
                packet.clock = static_cast<uint32_t>(field.value);
                break;
            case packet::kLostBefore:
                packet.lost_before = field.value != 0;
                break;
            case packet::kEvent:
                packet.event = field.bytes;
                break;
            case packet::kInterned:
                packet.interned = field.bytes;
                break;
            case packet::kDefaults:
                packet.defaults = field.bytes;
                break;
            case packet::kSnapshot:
                packet.snapshot = field.bytes;
                break;
            case packet::kTrack:
                packet.track = field.bytes;
                break;
            case packet::kProcesses:
                packet.processes = field.bytes;
                break;
            case packet::kCompressed:
                packet.compressed = field.bytes;
                break;
            default:
                if (bytes && !is_of_service(field.number)) packet.other = field.number;
        }
    }
    if (fields.is_damaged()) diagnostics_.add(Diag::kBadEvent, {{}, -1, -1, "a packet that is damaged"});
    take_data(packet, sequences_[packet.sequence], depth);
}

void TraceSource::take_data(const Packet& packet, Sequence& sequence, int depth) {
    constexpr uint64_t kBeginsAnew = 1;
    if (packet.lost_before && sequence.has_state) {
        diagnostics_.add(Diag::kLostRecords, {{}, -1, -1, "the trace's buffer had no room for packets"});
        sequence.has_state = false;
    }
    if (packet.flags & kBeginsAnew) {
        sequence.forget();
        sequence.has_state = true;
    }
    const auto clean = [this](std::string_view bytes) { return clean_bytes(bytes, diagnostics_); };
    if (!sequence.learn(packet.interned, clean))
        diagnostics_.add(Diag::kBadEvent, {{}, -1, -1, "a list of texts that is damaged"});
    if (!packet.defaults.empty()) sequence.take_defaults(packet.defaults);
    if (!packet.snapshot.empty() && !clocks_.take(packet.sequence, packet.snapshot))
        diagnostics_.add(Diag::kBadTime, {{}, -1, -1, "a snapshot of clocks without one that is known"});
    if (!packet.track.empty()) events_.tracks.take(packet.track, json_);
    if (!packet.processes.empty()) events_.tracks.take_processes(packet.processes, json_);
    if (!packet.event.empty()) take_event(packet, sequence);
    if (!packet.compressed.empty()) take_packed(packet.compressed, depth);
    if (packet.other != 0) ++unread_[name_of_packet(packet.other)];
}

void TraceSource::take_event(const Packet& packet, const Sequence& sequence) {
    constexpr uint64_t kNeedsState = 2;
    if ((packet.flags & kNeedsState) && !sequence.has_state)
        return diagnostics_.add(Diag::kLostRecords, {{}, -1, -1, "an event whose names were lost"});
    std::optional<int64_t> time;
    if (packet.has_time)
        time = clocks_.time(packet.sequence, packet.has_clock ? packet.clock : sequence.clock, packet.time);
    if (!time)
        return diagnostics_.add(Diag::kBadTime,
                                {{},
                                 -1,
                                 -1,
                                 packet.has_time ? fmt::format("{} of clock {}", packet.time, packet.clock)
                                                 : "an event without a time"});
    events_.take(packet.event, sequence, packet.sequence, *time);
}

void TraceSource::take_packed(std::string_view packed, int depth) {
    std::string message;
    if (depth > 0 || !inflate_packets(packed, kMostPacked, message))
        return diagnostics_.add(Diag::kBadEvent, {{}, -1, -1, "compressed packets that cannot be unpacked"});
    unpacked_ += message.size();
    growth_.set_read(parts_.bytes() + unpacked_);
    Fields fields(message);
    for (Field field; fields.next(field);)
        if (field.is(kPacketOfTrace, Field::Type::kBytes)) take(field.bytes, depth + 1);
    if (fields.is_damaged()) diagnostics_.add(Diag::kBadEvent, {{}, -1, -1, "compressed packets break off"});
}

}  // namespace opsight::importer::perfetto
