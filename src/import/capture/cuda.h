// CUDA activity of one process's capture.
//
// First pass: what has to be known before the first span: devices, contexts, readings of CUPTI's clock, code
// of modules. Second pass: spans. Memory beyond the profile: the cubins of one process, a few dozen bytes per
// distinct kernel, and 64 bytes per allocation.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "import/capture/cuda_times.h"
#include "import/capture/nvtx.h"
#include "wire/cuda.h"
#include "wire/reader.h"

namespace opsight::importer::capture {

// What the code of a process's modules tells, by mangled name.
class CudaCode {
  public:
    void take_module(const wire::CudaModuleRecord& module);
    void take_bytes(const wire::RecordView& record);

    struct Verdict {
        bool judged = false;  // false: modules disagree, or the code does not tell
        std::string instruction;
    };
    struct Finding {
        std::map<std::string, Verdict, std::less<>> kernels;
        std::vector<std::string> unread;  // why a module's code could not be read
    };
    Finding judge() const;

  private:
    struct Content {
        std::string bytes;
        uint64_t told = 0;
        bool broken = false, whole = false;
    };
    std::map<uint64_t, Content> contents_;
    uint64_t kept_ = 0;
};

// Which calls lie in the times that recording was limited to. They are told by their numbers, which rise
// with time: what a call put on a device counts also where the call's own record was left out or lost.
class CudaRanges {
  public:
    void take_range(const wire::CudaRangeRecord& range);
    void take_call(uint32_t correlation, uint64_t begin);
    // Whether work of this call belongs to the recording.
    bool has(uint32_t correlation) const;

  private:
    struct Range {
        uint64_t begin, end;
        uint32_t first, last;  // numbers of calls that began in it
        bool any;
    };
    std::vector<Range> ranges_;
    std::set<uint32_t> others_;  // calls that began outside, and were open when a range began
};

struct CudaFacts {
    std::map<uint32_t, wire::CudaDeviceRecord> devices;
    std::map<uint32_t, std::string> device_names;
    std::map<uint32_t, wire::CudaContextRecord> contexts;
    std::map<std::pair<uint32_t, uint32_t>, wire::CudaStreamRecord> streams;  // by context and stream
    std::vector<wire::CudaClockRecord> clocks;
    CudaCode code;
    CudaRanges ranges;
    std::vector<wire::CudaHandleRecord> handles;
    std::set<uint32_t> event_calls;  // calls that recorded events on streams
    struct ExternalId {
        uint32_t kind;
        uint64_t id;
    };
    absl::flat_hash_map<uint32_t, ExternalId> external_ids;  // that programs tied to calls, by call
    std::map<uint32_t, int64_t> external_kinds;              // how many of each kind
    bool any = false;

    void take(const wire::RecordView& record);

  private:
    void take_external(const wire::CudaExternalRecord& record);
};

// Names that the program gave through NVTX, by CUPTI's numbers.
using CudaStreamNames = std::map<std::pair<uint32_t, uint32_t>, std::string>;  // by context and stream
// A handle is the object that had it last when the name was given. The default stream has no handle of its
// own: its name is known where the process has one context.
CudaStreamNames name_streams(const std::vector<NvtxFacts::Name>& names, const CudaFacts& facts);

// The devices of a rank. Its processes may see them under different numbers.
class CudaDevices {
  public:
    explicit CudaDevices(ProfileBuilder& builder) : builder_(builder) {}
    // The device that a process of `rank` calls `number`.
    DeviceId find(RankId rank, uint32_t pid, uint32_t number, const CudaFacts& facts);
    bool is_described(DeviceId device) const { return described_.contains(device.value); }

  private:
    void describe(Device& device, const wire::CudaDeviceRecord& record, const std::string& name);

    ProfileBuilder& builder_;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, DeviceId> known_;  // rank, process, its number
    std::map<std::pair<uint32_t, std::string>, DeviceId> by_identity_;    // rank, UUID or place
    std::map<std::pair<uint32_t, int64_t>, bool> used_;                   // rank, number
    std::set<uint32_t> described_;
};

struct CudaPlace {
    RankId rank;
    uint32_t pid = 0;
    // The program's framework told of its memory on devices: what the driver gives it is inside, and not
    // counted again.
    bool framework_memory = false;
    CudaStreamNames stream_names = {};
};

class CudaImport {
  public:
    CudaImport(const CudaFacts& facts, CudaDevices& devices, Times& times, const CudaPlace& place,
               const std::string& file, ProfileBuilder& builder)
        : facts_(facts),
          devices_(devices),
          times_(facts.clocks, times),
          place_(place),
          file_(file),
          builder_(builder) {}

    void begin_stream();
    // True where the record was one of CUDA. Texts are looked at, too.
    bool take(const wire::RecordView& record);
    // After all streams.
    void finish();

  private:
    struct Kind {
        StringId name;
        LaunchConfigId config;
    };
    // What all work of devices has in common.
    struct Where {
        uint64_t begin, end;
        uint32_t device, context, stream, correlation;
        uint64_t graph_node = 0;
        uint32_t graph = 0;
    };
    struct Allocation {
        int64_t time;
        uint64_t address;
        int64_t bytes;
        bool freed;
        int32_t device;
        MemoryKind kind;
    };

    // cuda.cpp
    void take_api(const wire::CudaApiRecord& call);
    void take_overhead(const wire::CudaOverheadRecord& overhead);
    void take_jit(const wire::CudaJitRecord& jit);
    void take_graph(const wire::CudaGraphRecord& graph);
    void take_dropped(const wire::CudaDroppedRecord& dropped);
    void take_state(const wire::RecordView& record);
    bool host_times(uint64_t begin, uint64_t end, HostSpan& span);
    void finish_code();
    // cuda_events.cpp
    void take_event(const wire::CudaEventRecord& event);
    void finish_events();
    void tell_external_ids();
    void set_call(DeviceSpan& span, uint32_t correlation);
    // cuda_device.cpp
    void take_kind(const wire::CudaKernelKindRecord& kind);
    void take_kernel(const wire::CudaKernelRecord& kernel);
    void take_copy(const wire::CudaCopyRecord& copy);
    void take_set(const wire::CudaSetRecord& set);
    void take_sync(const wire::CudaSyncRecord& sync);
    void take_graph_trace(const wire::CudaGraphTraceRecord& graph);
    bool begin_span(const Where& where, DeviceKind kind, DeviceSpan& span, DeviceExtra& extra);
    void add(const DeviceSpan& span, const DeviceExtra& extra);
    TrackId stream_of(uint32_t device, uint32_t context, uint32_t stream);
    DeviceId device_of(uint32_t number);
    // cuda_memory.cpp
    void take_memory(const wire::CudaMemoryRecord& memory);
    void take_pool(const wire::CudaPoolRecord& pool);
    void take_unified(const wire::CudaUnifiedRecord& event);
    void take_migration(const wire::CudaUnifiedRecord& event);
    void sample_pool(int64_t time, uint32_t device, uint64_t pool, uint64_t bytes, uint64_t used);
    void finish_memory();
    TrackId process_row(std::string_view subject);

    StringId text_of(uint32_t id, std::string_view otherwise);
    bool time_of(uint64_t time, std::string_view what, int64_t& ns);
    void note(Diag diag, std::string_view what, int64_t count = 1);

    const CudaFacts& facts_;
    CudaDevices& devices_;
    CudaTimes times_;
    const CudaPlace place_;
    const std::string& file_;
    ProfileBuilder& builder_;

    // Of the stream that is being read.
    absl::flat_hash_map<uint32_t, std::string> texts_;
    absl::flat_hash_map<uint32_t, StringId> names_;  // interned texts
    absl::flat_hash_map<uint32_t, Kind> kinds_;

    absl::flat_hash_map<std::string, StringId> kernels_;  // full names by mangled ones
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, TrackId> streams_;
    absl::flat_hash_map<uint32_t, TrackId> threads_;
    std::set<uint32_t> undescribed_;
    std::vector<Allocation> allocations_;
    std::vector<wire::CudaEventRecord> events_;
    absl::flat_hash_map<uint32_t, int64_t> event_calls_;     // when the calls of facts_.event_calls began
    std::map<std::pair<uint32_t, uint64_t>, size_t> pools_;  // device and address: number among its pools
};

}  // namespace opsight::importer::capture
