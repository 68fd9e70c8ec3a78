// Columns of spans. Row order after ProfileBuilder::finish(): (track, begin, -dur, source order);
// equal intervals of host threads: outer kinds before inner ones, then source order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace opsight {

enum class HostKind : uint8_t {
    kOp,           // a framework op (aten::mm); detail: row of OpDetails
    kAnnotation,   // user annotation, NVTX range, step marker
    kPythonFrame,  // a Python function
    kModule,       // a call of an nn.Module ("nn.Module: Linear_3", or a module path)
    kRuntimeApi,   // CUDA/HIP runtime call; detail: row of api_correlation
    kDriverApi,    // CUDA driver call; detail: row of api_correlation
    kOverhead,     // time that the profiler itself took
    kDataLoad,     // waiting for or making input data, where the source says so
    kFileIo,       // reading or writing files, where the source says so
    kOther,        // a category that Opsight does not know; detail: StringId of the category
};

// Kinds from the outermost (0) to the innermost: which of two equal intervals of a thread holds the other.
constexpr int inwardness(HostKind kind) {
    switch (kind) {
        case HostKind::kAnnotation:
        case HostKind::kDataLoad:
        case HostKind::kFileIo:
            return 0;
        case HostKind::kModule:
        case HostKind::kPythonFrame:
            return 1;
        case HostKind::kOp:
        case HostKind::kOther:
            return 2;
        case HostKind::kRuntimeApi:
            return 3;
        case HostKind::kDriverApi:
        case HostKind::kOverhead:
            return 4;
    }
    return 2;
}

enum SpanFlags : uint8_t {
    kUnfinished = 1,      // no end in the source; it ends with the profile
    kInstant = 2,         // a point in time
    kOverlapping = 4,     // crosses the end of a neighbour on its thread instead of nesting (set by analyze)
    kBackwardThread = 8,  // ran under an autograd engine (set by the importer only where the source says so)
};

// Work of host threads. 34 bytes a row.
struct HostSpans {
    std::vector<int64_t> begin, dur;
    std::vector<TrackId> track;
    std::vector<StringId> name;
    std::vector<HostKind> kind;
    std::vector<uint8_t> flags;
    std::vector<uint32_t> detail;  // see HostKind; Id::kNone where a kind has none
    size_t size() const { return begin.size(); }
};

// Side table of ops. -1 where the source does not tell.
struct OpDetails {
    std::vector<SignatureId> signature;
    std::vector<int64_t> sequence;        // autograd sequence number
    std::vector<int64_t> forward_thread;  // thread id of the forward op that this backward op belongs to
    std::vector<int64_t> external_id;
    std::vector<CollectiveId> collective;  // ops of process groups
    std::vector<StringId> module_path;     // module hierarchy told by the source for this op; empty: none
    std::vector<StringId> stack;           // call stack told by the source for this op; empty: none
    size_t size() const { return signature.size(); }
};

enum class DeviceKind : uint8_t {
    kKernel,
    kMemcpy,
    kMemset,
    kAnnotation,  // on kDeviceAnnotation tracks
    kSync,        // waits that the source shows on a stream (cuda_sync)
    kOther,       // a device category that Opsight does not know
};

// Work of device streams.
struct DeviceSpans {
    std::vector<int64_t> begin, dur;
    std::vector<TrackId> track;
    std::vector<StringId> name;  // full name of a kernel; name of the copy kind for copies and sets
    std::vector<DeviceKind> kind;
    std::vector<uint8_t> flags;
    std::vector<int64_t> correlation;  // -1: none
    std::vector<int64_t> external_id;  // -1: none
    std::vector<LaunchConfigId> config;
    std::vector<int64_t> bytes;  // copies and sets; -1: not told
    std::vector<CollectiveId> collective;
    size_t size() const { return begin.size(); }
};

// One change of allocated memory.
struct MemoryEvents {
    std::vector<int64_t> time;
    std::vector<TrackId> track;
    std::vector<int64_t> address;
    std::vector<int64_t> bytes;            // negative: freed
    std::vector<int64_t> total_allocated;  // after the event; -1: not told
    std::vector<int64_t> total_reserved;
    std::vector<int32_t> device_type;  // c10::DeviceType: 0 CPU, 1 CUDA
    std::vector<int32_t> device;       // -1 for the CPU
    size_t size() const { return time.size(); }
};

// Samples of counters, each a named series of one rank.
struct CounterSamples {
    std::vector<int64_t> time;
    std::vector<TrackId> track;
    std::vector<StringId> name;
    std::vector<double> value;
    size_t size() const { return time.size(); }
};

enum class FlowKind : uint8_t { kForwardBackward, kLaunch, kOther };

// One end of a flow arrow, bound to a span by (track, time).
struct FlowEnd {
    int64_t id;
    int64_t time;
    TrackId track;
    FlowKind kind;
    bool is_start;
};

}  // namespace opsight
