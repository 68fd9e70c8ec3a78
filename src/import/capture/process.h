// Imports the capture of one process.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "import/capture/cuda.h"
#include "import/capture/nvtx.h"
#include "import/capture/process_groups.h"
#include "import/capture/times.h"
#include "model/profile_builder.h"
#include "wire/reader.h"

namespace opsight::importer::capture {

// First pass: what has to be known before the first span can be made.
struct ProcessFacts {
    std::vector<wire::ClockSnapshot> clocks;
    std::map<std::string, std::string> properties;
    std::map<uint64_t, uint32_t> os_threads;  // by the framework's number
    NvtxFacts nvtx;
    CudaFacts cuda;
    bool device_memory = false;  // a framework told of memory of devices
    bool trains = false;         // an optimizer stepped
    int64_t group_rank() const;  // of the process in its job, by its process group; -1: not told
};
ProcessFacts gather_facts(wire::CaptureReader& reader);

// Second pass.
class ProcessImport {
  public:
    // `epoch_ns`: from CLOCK_MONOTONIC to ns since 1970.
    ProcessImport(wire::CaptureReader& reader, const ProcessFacts& facts, const TickClock& clock,
                  int64_t epoch_ns, RankId rank, bool framework_memory, CudaStreamNames stream_names,
                  CudaDevices& devices, const std::string& file, ProfileBuilder& builder)
        : reader_(reader),
          facts_(facts),
          rank_(rank),
          file_(file),
          builder_(builder),
          times_(clock, epoch_ns, file, builder),
          nvtx_(facts.nvtx, times_, epoch_ns - realtime_offset(reader), rank, reader.info().pid, file,
                builder),
          cuda_(facts.cuda, devices, times_,
                {rank, reader.info().pid, framework_memory, std::move(stream_names)}, file, builder),
          groups_(facts.properties, facts.group_rank(), builder) {}

    // `tell`, if it is set, hears now and then how many bytes of the capture were read.
    void run(const std::string& process_name, const std::function<void(uint64_t)>& tell);
    uint64_t records() const { return records_; }
    // Where the newest are kept: from when on no thread's spans made room for newer ones. Set by run().
    const std::optional<int64_t>& kept_from_ns() const { return kept_from_ns_; }

  private:
    struct OpKind {
        StringId name;
        SignatureId signature;
        HostKind kind;
        CollectiveId collective;  // of ops of process groups
    };
    struct OpenModule {
        uint64_t end;
        StringId path;
    };
    struct Allocation {
        uint64_t ticks, address;
        int64_t bytes;  // -1: freed
        TrackId track;
        int32_t device;  // as the record has it
    };
    struct RunQueueReading {
        bool known = false;
        int64_t ns = 0;
        uint64_t waited_ns = 0;
    };
    struct AsyncOp {
        uint64_t key, begin;
        uint32_t kind;
        TrackId track;
    };

    void take(const wire::RecordView& record);
    void note_gap(const wire::RecordView& record);
    void take_kind(const wire::RecordView& record);
    // Whether there is an op now.
    bool take_op(const wire::OpRecord& op, int64_t sequence, int64_t forward_thread);
    bool take_link(const wire::OpRecord& op, uint64_t link);
    void take_counted_op(const wire::RecordView& record);
    void take_module(const wire::ModuleRecord& module);
    void take_run_queue(const wire::RunQueueRecord& reading);
    void take_moved(const wire::RecordView& record);
    StringId enter_module(const wire::ModuleRecord& module);
    void take_thread(const wire::ThreadRecord& thread);
    void begin_thread(uint32_t os_thread);
    void name_thread();
    bool add_op(const OpKind& kind, const HostSpan& span, int64_t sequence, int64_t forward_thread);
    void finish_async();
    void finish_memory();

    static int64_t realtime_offset(const wire::CaptureReader& reader) {
        return reader.info().begin.realtime_ns - reader.info().begin.monotonic_ns;
    }
    OpKind kind_of(uint32_t id);
    StringId text_of(uint32_t id);
    void bad_event(std::string_view what);

    wire::CaptureReader& reader_;
    const ProcessFacts& facts_;
    const RankId rank_;
    const std::string& file_;
    ProfileBuilder& builder_;
    Times times_;
    NvtxImport nvtx_;
    CudaImport cuda_;
    ProcessGroups groups_;
    uint64_t records_ = 0, bytes_ = 0;
    // After a gap in a stream: what was open then comes first, then what is new.
    enum class Gap : uint8_t { kNone, kCarried, kNew } gap_ = Gap::kNone;
    std::optional<int64_t> kept_from_ns_;

    std::string process_name_;
    // Of the stream that is being read, and of the thread that wrote it there.
    TrackId track_;
    uint32_t os_thread_ = 0;
    absl::flat_hash_map<uint32_t, StringId> texts_;
    absl::flat_hash_map<uint32_t, OpKind> kinds_;
    std::vector<OpenModule> modules_;
    RunQueueReading run_queue_;

    std::vector<Allocation> allocations_;
    std::vector<std::pair<AsyncOp, OpKind>> async_begins_;
    std::vector<std::pair<uint64_t, uint64_t>> async_ends_;  // key, ticks
};

}  // namespace opsight::importer::capture
