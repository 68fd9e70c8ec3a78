#include "exports/perfetto/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "exports/perfetto/lanes.h"
#include "exports/timeline/walk.h"
#include "exports/wire/protobuf.h"
#include "exports/wire/valid_utf8.h"

namespace opsight::exports {
namespace {

// Field numbers of protos/perfetto/trace/perfetto_trace.proto.
namespace trace {
enum { kPacket = 1 };
}
namespace packet {
enum {
    kClockSnapshot = 6,
    kTimestamp = 8,
    kSequence = 10,
    kTrackEvent = 11,
    kInternedData = 12,
    kSequenceFlags = 13,
    kTrackDescriptor = 60,
};
enum { kStateCleared = 1, kNeedsState = 2 };  // of kSequenceFlags
}  // namespace packet
namespace clocks {
enum { kClock = 1, kId = 1, kTime = 2, kRealtime = 1, kBoottime = 6 };
}
namespace descriptor {
enum { kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8 };
enum { kPid = 1, kTid = 2, kThreadName = 5, kProcessName = 6, kProcessLabels = 8, kUnitName = 6 };
}  // namespace descriptor
namespace event {
enum {
    kAnnotations = 4,
    kType = 9,
    kNameId = 10,
    kTrack = 11,
    kCategoryIds = 3,
    kCounterValue = 44,
    kFlows = 47,
    kEndingFlows = 48,
};
enum { kBegin = 1, kEnd = 2, kCounter = 4 };
}  // namespace event
namespace annotation {
enum { kNameId = 1, kInt = 4, kDouble = 5, kTextId = 17 };
}
namespace interned {
enum { kCategories = 1, kEventNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29, kId = 1, kText = 2 };
}

constexpr uint64_t kThisSequence = 1;
// Tracks' own numbers: kinds of rows apart.
constexpr uint64_t kGroups = uint64_t{1} << 62, kCounters = uint64_t{1} << 61, kLaneBits = 8;
static_assert(Lanes::kMost <= 1 << kLaneBits);

// Which texts a kind of list has told already.
class Told {
  public:
    explicit Told(uint32_t field) : field_(field) {}
    // The number of a text, which `data` tells where it is new.
    uint64_t id(uint32_t text, const Texts& texts, Message& data) {
        if (told_.size() <= text) told_.resize(std::max<size_t>(text + 1, told_.size() * 2));
        if (!told_[text]) {
            told_[text] = true;
            Message entry;
            entry.number(interned::kId, text + 1).text(interned::kText, valid_utf8(texts[text]));
            data.message(field_, entry);
        }
        return text + 1;
    }

  private:
    uint32_t field_;
    std::vector<bool> told_;
};

class PerfettoWriter : public TimelineWriter {
    static uint64_t uuid(int64_t track, size_t lane) {
        return (static_cast<uint64_t>(track) + 1) << kLaneBits | lane;
    }

    auto ended() {
        return [this](size_t lane, int64_t time) {
            event_.clear();
            data_.clear();
            event_.number(event::kType, event::kEnd).number(event::kTrack, uuid(track_, lane));
            event_at(time);
        };
    }
    void close() { lanes_.close(ended()); }

  public:
    PerfettoWriter(Texts& texts, Output& output) : texts_(texts), output_(output) {}

    void begin(int64_t origin_ns) override {
        Message boot, real, snapshot;
        boot.number(clocks::kId, clocks::kBoottime).number(clocks::kTime, 0);
        real.number(clocks::kId, clocks::kRealtime).integer(clocks::kTime, std::max<int64_t>(origin_ns, 0));
        snapshot.message(clocks::kClock, boot).message(clocks::kClock, real);
        packet_.clear();
        packet_.number(packet::kSequence, kThisSequence)
            .number(packet::kSequenceFlags, packet::kStateCleared);
        if (origin_ns > 0) packet_.message(packet::kClockSnapshot, snapshot);
        put();
    }

    void track(const TrackFacts& facts) override {
        const uint64_t group = kGroups | static_cast<uint64_t>(facts.group);
        Message owner;
        owner.number(descriptor::kPid, static_cast<uint64_t>(facts.pid));
        if (groups_.insert(group).second) {
            Message process;
            process.number(descriptor::kPid, static_cast<uint64_t>(facts.pid))
                .text(descriptor::kProcessName, valid_utf8(facts.group_name));
            if (!facts.rank_label.empty()) process.text(descriptor::kProcessLabels, facts.rank_label);
            Message told;
            told.number(descriptor::kUuid, group).message(descriptor::kProcess, process);
            describe(told);
        }
        Message told;
        told.number(descriptor::kUuid, uuid(facts.id, 0)).number(descriptor::kParent, group);
        if (facts.of_device) {
            told.text(descriptor::kName, valid_utf8(facts.name));
        } else {
            owner.number(descriptor::kTid, static_cast<uint64_t>(facts.tid))
                .text(descriptor::kThreadName, valid_utf8(facts.name));
            told.message(descriptor::kThread, owner);
        }
        describe(told);
    }

    void slice(const Slice& slice) override {
        if (slice.track != track_) close();
        track_ = slice.track;
        const size_t lane = lanes_.put(slice.begin, slice.begin + slice.dur, ended());
        if (lane > 0 && lanes_told_.insert(uuid(track_, lane)).second) {
            Message told;
            told.number(descriptor::kUuid, uuid(track_, lane))
                .number(descriptor::kParent, uuid(track_, 0))
                .text(descriptor::kName, fmt::format("overlapping {}", lane));
            describe(told);
        }
        event_.clear();
        data_.clear();
        event_.number(event::kType, event::kBegin)
            .number(event::kTrack, uuid(track_, lane))
            .number(event::kNameId, names_.id(slice.name, texts_, data_))
            .number(event::kCategoryIds, categories_.id(texts_.add(slice.category), texts_, data_));
        for (const Argument& argument : slice.arguments)
            event_.message(event::kAnnotations, annotation_of(argument));
        for (const int64_t launch : slice.launches)
            event_.fixed(event::kFlows, static_cast<uint64_t>(launch) + 1);
        if (slice.launched >= 0) event_.fixed(event::kEndingFlows, static_cast<uint64_t>(slice.launched) + 1);
        event_at(slice.begin);
    }

    void series(const Series& series) override {
        Message counter;
        if (!series.unit.empty()) counter.text(descriptor::kUnitName, series.unit);
        Message told;
        told.number(descriptor::kUuid, kCounters | static_cast<uint64_t>(series.number))
            .text(descriptor::kName, valid_utf8(series.name))
            .message(descriptor::kCounter, counter);
        if (series.group > 0) told.number(descriptor::kParent, kGroups | static_cast<uint64_t>(series.group));
        describe(told);
    }

    void sample(const Series& series, int64_t time_ns, double value) override {
        event_.clear();
        data_.clear();
        event_.number(event::kType, event::kCounter)
            .number(event::kTrack, kCounters | static_cast<uint64_t>(series.number))
            .real(event::kCounterValue, value);
        event_at(time_ns);
    }

    void end() override { close(); }

  private:
    Message& annotation_of(const Argument& argument) {
        annotation_.clear();
        annotation_.number(annotation::kNameId, keys_.id(argument.key, texts_, data_));
        const Value& value = argument.value;
        if (value.type == Value::Type::kWhole)
            annotation_.integer(annotation::kInt, value.whole);
        else if (value.type == Value::Type::kReal)
            annotation_.real(annotation::kDouble, value.real);
        else
            annotation_.number(annotation::kTextId, argument_texts_.id(value.text, texts_, data_));
        return annotation_;
    }

    // Times before the profile's origin cannot be told: they are put at it.
    void event_at(int64_t time_ns) {
        packet_.clear();
        packet_.integer(packet::kTimestamp, std::max<int64_t>(time_ns, 0))
            .number(packet::kSequence, kThisSequence)
            .number(packet::kSequenceFlags, packet::kNeedsState);
        if (!data_.bytes().empty()) packet_.message(packet::kInternedData, data_);
        packet_.message(packet::kTrackEvent, event_);
        put();
    }
    void describe(const Message& told) {
        packet_.clear();
        packet_.number(packet::kSequence, kThisSequence).message(packet::kTrackDescriptor, told);
        put();
    }
    void put() {
        framed_.clear();
        framed_.message(trace::kPacket, packet_);
        output_.buffer() += framed_.bytes();
    }

    Texts& texts_;
    Output& output_;
    Told categories_{interned::kCategories}, names_{interned::kEventNames}, keys_{interned::kAnnotationNames},
        argument_texts_{interned::kAnnotationTexts};
    std::set<uint64_t> groups_, lanes_told_;
    Lanes lanes_;
    int64_t track_ = -1;
    Message packet_, event_, data_, annotation_, framed_;
};

Result<std::string> write(const Job& job) {
    OPSIGHT_ASSIGN(Output output, Output::create(job));
    Texts texts;
    PerfettoWriter writer(texts, output);
    return walk_timeline(job, texts, writer, output);
}

}  // namespace

Format perfetto_format() {
    return {"perfetto",
            ".pftrace",
            "the timeline for ui.perfetto.dev: spans with arguments, launches as arrows, counters",
            false,
            false,
            write};
}

}  // namespace opsight::exports
