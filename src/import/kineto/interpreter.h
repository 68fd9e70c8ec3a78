// Gives RawEvents their meaning: one row of a Batch each. All generations of Kineto traces, of PyTorch's
// legacy autograd traces, and, as far as it goes, any Chrome trace. One interpreter per worker thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>

#include "import/kineto/batch.h"
#include "import/kineto/event.h"
#include "import/kineto/event_reader.h"
#include "import/kineto/rank_label.h"

namespace opsight::importer::kineto {

class Interpreter final : public EventSink {
  public:
    // Everything that follows goes to `batch`; positions in diagnostics count from `window`, which is at byte
    // `offset` of the source.
    void start(Batch& batch, std::string_view window, uint64_t offset);
    void take(const RawEvent& event) override;
    // Hands the new entries of the tables to the batch.
    void finish();

    EventReader& reader() { return reader_; }

  private:
    struct Times {
        int64_t begin = 0, dur = 0;
        uint8_t flags = 0;
    };

    void take_complete(const RawEvent& event);
    void take_instant(const RawEvent& event);
    void take_unpaired(const RawEvent& event, OtherRow what);
    void take_counter(const RawEvent& event);
    void take_flow(const RawEvent& event, bool is_start);
    void take_meta(const RawEvent& event);

    void add_op(const RawEvent& event, const HostSpan& span);
    void add_host(const RawEvent& event, const Times& times, HostKind kind, uint32_t detail);
    void add_device(const RawEvent& event, const Times& times, DeviceKind kind);
    void add_graph(const RawEvent& event);
    void add_legacy_device(const RawEvent& event, const Times& times);
    void add_profiler_range(const RawEvent& event, const Times& times);
    void add_memory(const RawEvent& event, int64_t time);

    bool read_times(const RawEvent& event, Times& times);
    bool read_time(const RawEvent& event, int64_t& time);
    void report(Diag diag, const RawEvent& event, std::string_view text = {});
    Category category(std::string_view token);

    StringId text(std::string_view token);  // of a string token: its text; of anything else: as it stands
    StringId json(std::string_view token);  // arrays, on one line however the source wrote them
    int64_t id(const RawEvent& event, std::string_view token);
    PlaceId place(const RawEvent& event);
    PlaceId new_place(const RawEvent& event, MergedProcess process);
    uint32_t device_place(const RawEvent& event, TrackKind kind);
    SignatureId signature(const RawEvent& event);
    LaunchConfigId config(const RawEvent& event);
    CollectiveId collective(const RawEvent& event);

    EventReader reader_;
    LocalTables tables_;
    Batch* batch_ = nullptr;
    std::string_view window_;
    uint64_t offset_ = 0;
    std::string scratch_, key_;
    absl::flat_hash_map<std::string, StringId> lists_;  // keyed by raw tokens
    std::string last_pid_, last_tid_, last_rank_, last_category_token_;
    PlaceId last_place_ = 0;
    Category last_category_ = Category::kNone;
};

}  // namespace opsight::importer::kineto
