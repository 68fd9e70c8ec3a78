// NVTX events of one process's capture.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "import/capture/times.h"
#include "import/nvtx/clocks.h"
#include "import/nvtx/payload.h"
#include "import/nvtx/spans.h"
#include "wire/nvtx.h"
#include "wire/reader.h"

namespace opsight::importer::capture {

// What kNvtxDefine records tell. They count for the whole process, and may come after their first use.
struct NvtxFacts {
    struct Counter {
        std::string name;
        uint32_t domain = 0;
        uint64_t schema = 0;
        uint64_t clock = 0, scope = 0;  // 0: not told
        nvtx::CounterMeaning meaning;
    };
    // A payload, as it is.
    struct Data {
        uint32_t domain;
        uint64_t schema;
        std::string bytes;
        uint64_t place = 0;  // its address; 0: not told
    };
    // The payloads of one event, and what they point to, by address.
    struct Payloads {
        std::vector<Data> data;
        absl::flat_hash_map<uint64_t, std::string> texts;
        std::map<uint64_t, std::string> memory;
        uint64_t cut = 0;  // pointers that were not followed to the end

        // True where the record was part of it.
        bool take(const wire::NvtxDataRecord& head, std::string_view bytes);
        void clear() {
            data.clear();
            texts.clear();
            memory.clear();
            cut = 0;
        }
        // What is known from an address on.
        std::optional<std::string_view> at(uint64_t address) const;
    };
    std::map<uint32_t, std::string> domains;
    std::map<std::pair<uint32_t, uint64_t>, std::string> categories;
    // Of an object of CUDA, OpenCL or the program.
    struct Name {
        wire::NvtxResource kind;
        uint64_t handle;
        uint64_t ticks;  // when it was given; 0: not told
        std::string text;
    };
    std::map<uint64_t, std::string> threads, locks, heaps;
    std::vector<Name> names;
    std::map<uint64_t, Counter> counters;
    // What the end of a range adds to it, by stream and begin of the range, or by its id.
    absl::flat_hash_map<std::pair<uint32_t, uint64_t>, Payloads> pops;
    absl::flat_hash_map<uint64_t, Payloads> ends;
    nvtx::Schemas schemas;
    nvtx::Clocks clocks;
    uint64_t bad = 0;  // definitions that do not hold together

    // Every record, stream by stream.
    void take(const wire::RecordView& record, uint32_t stream);
    std::string domain_name(uint32_t number) const;

  private:
    void take_definition(const wire::RecordView& record);
    void take_data(const wire::RecordView& record, uint32_t stream);
    void take_clock(const wire::NvtxDefineRecord& head, std::string_view blob);
    void take_meaning(const wire::NvtxDefineRecord& head, std::string_view blob);
    Payloads* amended_ = nullptr;  // what the records that come now belong to
};

class NvtxImport {
  public:
    NvtxImport(const NvtxFacts& facts, Times& times, int64_t realtime_offset_ns, RankId rank, uint32_t pid,
               const std::string& file, ProfileBuilder& builder)
        : facts_(facts),
          times_(times),
          realtime_offset_ns_(realtime_offset_ns),
          rank_(rank),
          pid_(pid),
          file_(file),
          builder_(builder),
          clocks_(facts.clocks) {
        clocks_.set_known(
            [this](uint64_t clock, int64_t value, int64_t& ns) { return known(clock, value, ns); });
    }
    NvtxImport(const NvtxImport&) = delete;
    NvtxImport& operator=(const NvtxImport&) = delete;

    void begin_stream(TrackId track, uint32_t number);
    // Another thread goes on with the stream.
    void change_thread(TrackId track) {
        flush();
        track_ = track;
    }
    // True where the record was one of NVTX.
    bool take(const wire::RecordView& record);
    void end_stream() {
        flush();
        left_.reset();
    }
    // Where the newest records are kept: the event before this went on in the next block.
    void leave_event();
    // After all streams.
    void finish();

  private:
    struct Kind {
        StringId text{0};
        marks::NvtxDomain dialect = marks::NvtxDomain::kOther;
        NvtxAttributes attributes;
        NvtxAttributesId ids[3];  // by NvtxType
        uint32_t domain = 0;
    };
    // An event that waits for its payload, which follows it.
    struct Event {
        Event();  // else clang cannot tell within the class that an Event can be made
        HostSpan span;
        Kind kind;
        NvtxType type = NvtxType::kPushPop;
        uint64_t id = 0, begin_ticks = 0;  // of ranges that may end elsewhere
        uint64_t dur_ticks = 0;            // of those that ended on their thread
        std::vector<std::string> payloads;
        std::optional<NvtxPayload> number;
        std::string message;
        bool says_more = false;  // what its end says counts more than its own text
        bool deferred = false;   // its payloads tell all of it
        uint64_t scope = 0;      // of a deferred one
    };
    struct End {
        uint64_t ticks;
        TrackId track;
    };
    using Data = NvtxFacts::Data;
    // What payloads tell of their event.
    struct Told {
        std::optional<nvtx::Decoded::Time> begin, end;
        std::optional<uint32_t> category, color;
        std::optional<uint64_t> thread;
    };

    void take_kind(const wire::RecordView& record);
    Kind kind_of(uint32_t id, NvtxType type);
    void begin_event(uint32_t kind, NvtxType type);
    void take_range(const wire::OpRecord& range);
    void take_mark(const wire::NvtxMarkRecord& mark);
    void take_start(const wire::NvtxStartRecord& start);
    void take_number(const wire::NvtxNumberRecord& number);
    void take_data(const wire::RecordView& record);
    void take_end(const wire::NvtxEndRecord& end);
    void take_flexible(std::string_view bytes);
    nvtx::Beyond beyond(const NvtxFacts::Payloads& payloads);
    void read_payloads(Event& event, const NvtxFacts::Payloads& payloads, Told& told);
    void add_amendment(Event& event);
    void add_deferred(Event& event, const Told& told);
    void add_deferred_counters(int64_t ns);
    void add_crossing(Event& event, const End& end);
    bool known(uint64_t clock, int64_t value, int64_t& ns);
    uint64_t clock_of(uint64_t told, uint64_t scope) const;
    void take_counter(const wire::NvtxCounterRecord& sample);
    void take_sample(const wire::RecordView& record);
    void take_lock(const wire::NvtxSyncRecord& sync);
    void take_memory(const wire::NvtxMemoryRecord& memory);
    bool sample_time(const NvtxFacts::Counter& counter, const wire::NvtxSampleRecord& head,
                     const nvtx::Decoded& sample, int64_t& ns);
    void add_sample(int64_t ns, const NvtxFacts::Counter& counter, const nvtx::Number& number);
    void tell_meaning(const std::string& name, const nvtx::CounterMeaning& meaning);
    void add_counter(int64_t ns, const std::string& name, double value);
    void flush();
    void add(Event& event, TrackId end_track);
    void note(Diag diag, std::string_view what);

    const NvtxFacts& facts_;
    Times& times_;
    const int64_t realtime_offset_ns_;  // from CLOCK_REALTIME to the profile's times
    const RankId rank_;
    const uint32_t pid_;
    const std::string& file_;
    ProfileBuilder& builder_;
    nvtx::Clocks clocks_;
    nvtx::Spans spans_{builder_};

    // Of the stream that is being read.
    TrackId track_;
    uint32_t stream_ = 0;
    uint64_t scope_ = 0;  // of deferred events
    absl::flat_hash_map<uint32_t, Kind> kinds_;
    std::optional<Event> open_;
    NvtxFacts::Payloads payloads_;  // of open_
    // Of the block before, while those are read that were carried from there.
    struct Left {
        Event event;
        NvtxFacts::Payloads payloads;
    };
    std::optional<Left> left_;
    void begin_block(bool after_gap);
    void end_carried(bool goes_on);
    struct Flexible {
        uint64_t base = 0, offset = 0;
        std::string bytes;
    };
    std::optional<Flexible> flexible_;  // of the deferred events that come now
    std::string text_in(const NvtxFacts::Payloads& payloads, uint64_t type, uint64_t value) const;
    nvtx::TextOf text_of(const NvtxFacts::Payloads& payloads) const {
        return [this, &payloads](uint64_t type, uint64_t value) { return text_in(payloads, type, value); };
    }
    absl::flat_hash_map<uint64_t, uint64_t> waits_;  // lock: when the thread began to wait

    // Ranges that may end on another thread, until the other half is found.
    absl::flat_hash_map<uint64_t, Event> starts_;
    absl::flat_hash_map<uint64_t, End> ends_;
    std::vector<wire::NvtxMemoryRecord> memory_;
    void finish_memory();
    void tell_permissions();
    void tell_names();
    absl::flat_hash_map<uint64_t, double> last_values_;  // of counters
    absl::flat_hash_map<std::string, double> sums_;      // of those that tell differences
    std::set<std::string> told_;                         // series whose meaning was told
    TrackId counter_track_;
};

}  // namespace opsight::importer::capture
