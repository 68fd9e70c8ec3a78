// Columns of spans. Row order after ProfileBuilder::finish(): (track, begin, -dur, source order);
// equal intervals of host threads: outer kinds before inner ones, then source order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/cpu_counters.h"
#include "base/ids.h"

namespace opsight {

enum class HostKind : uint8_t {
    kOp,           // a framework op (aten::mm); detail: row of OpDetails
    kAnnotation,   // user annotation, NVTX range, step marker; detail: SignatureId of what a range
                   // of NCCL is given, where the source tells
    kPythonFrame,  // a Python function
    kModule,       // a call of an nn.Module ("nn.Module: Linear_3", or a module path)
    kRuntimeApi,   // CUDA/HIP runtime call; detail: row of api_correlation
    kDriverApi,    // CUDA driver call; detail: row of api_correlation
    kOverhead,     // time that the profiler itself took
    kDataLoad,     // waiting for or making input data, where the source says so
    kFileIo,       // reading or writing files, where the source says so
    kOther,        // a category that Opsight does not know; detail: StringId of the category
    kOsRuntime,  // a call of the C library or the system (read, poll, pthread_cond_wait); holds no other span
    kMessagePassing,  // a call of MPI, UCX or the like; detail: StringId of the library
    kLibrary,         // a call of cuDNN, cuBLAS or the like; detail: StringId of the library
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
        case HostKind::kMessagePassing:
        case HostKind::kLibrary:
            return 2;
        case HostKind::kRuntimeApi:
            return 3;
        case HostKind::kDriverApi:
        case HostKind::kOverhead:
        case HostKind::kOsRuntime:
            return 4;
    }
    return 2;
}

enum SpanFlags : uint8_t {
    kUnfinished = 1,   // no end in the source; it ends with the profile
    kInstant = 2,      // a point in time
    kOverlapping = 4,  // crosses the end of a neighbour on its thread instead of nesting (set by analyze)
    kBackward = 8,     // an op of the backward pass, as the source tells
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
    std::vector<CollectiveId> collective;   // ops of process groups
    std::vector<StringId> module_path;      // module hierarchy told by the source for this op; empty: none
    std::vector<StringId> stack;            // call stack told by the source for this op; empty: none
    std::vector<int64_t> record_functions;  // up to the last op that has one
    size_t size() const { return signature.size(); }
    // PyTorch's number of the call in its process; -1: not told.
    int64_t record_function(size_t i) const { return i < record_functions.size() ? record_functions[i] : -1; }
    std::vector<int64_t> collective_numbers;  // as of DeviceSpans
    int64_t collective_number(size_t i) const {
        return i < collective_numbers.size() ? collective_numbers[i] : -1;
    }
};

enum class DeviceKind : uint8_t {
    kKernel,
    kMemcpy,
    kMemset,
    kAnnotation,  // on kDeviceAnnotation tracks
    kSync,        // waits that the source shows on a stream (cuda_sync)
    kOther,       // a device category that Opsight does not know
    kGraph,       // a CUDA graph that was recorded as a whole, without its kernels
};

// Work of device streams.
// Between whom a send or receive moves data, by ranks of the job. -1: not told, as a rank's traces do not
// name itself.
struct Exchange {
    int64_t from = -1, to = -1;
    bool told() const { return from >= 0 || to >= 0; }
};

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
    std::vector<TransferId> transfer;  // of copies and sets
    // That the process group gave the collective, counting its own; up to the last span that tells one.
    std::vector<int64_t> collective_numbers;
    int64_t collective_number(size_t i) const {
        return i < collective_numbers.size() ? collective_numbers[i] : -1;
    }
    std::vector<Exchange> exchanges;  // up to the last span that tells one
    Exchange exchange(size_t i) const { return i < exchanges.size() ? exchanges[i] : Exchange(); }
    // NVTX ranges that it was launched in, the outermost first, a line each, where the source tells them of
    // work and not of the host; up to the last span that has some.
    std::vector<StringId> ranges;
    StringId ranges_around(size_t i) const { return i < ranges.size() ? ranges[i] : StringId(); }
    size_t size() const { return begin.size(); }
};

// Rarely told facts of device spans, by rising row. -1: not told.
struct DeviceExtras {
    std::vector<uint32_t> row;  // of DeviceSpans
    std::vector<int64_t> graph, graph_node, green_context;
    std::vector<int64_t> address;  // of migrated memory
    std::vector<int64_t> event;    // that a wait was for
    size_t size() const { return row.size(); }
};

// Of memory: no machine has more, and sums of them never overflow.
inline constexpr int64_t kMostMemoryBytes = int64_t{1} << 53;

enum class NvtxType : uint8_t { kPushPop, kStartEnd, kMark };

// What is special to NVTX ranges, of whichever HostKind they became. By (track, begin, -dur) of their host
// spans, `track` being the one below.
struct NvtxRanges {
    std::vector<uint32_t> row;   // of HostSpans
    std::vector<TrackId> track;  // thread that began it (a range that crosses threads has a row of its own)
    std::vector<TrackId> end_track;  // thread that ended it, where that is another one; else invalid
    std::vector<StringId> text;      // as written; the span's name is what Opsight read from it
    std::vector<NvtxAttributesId> attributes;
    size_t size() const { return row.size(); }
};

// Payload of an NVTX range: the number as the program gave it, or a text (JSON).
struct NvtxPayload {
    uint32_t row = 0;  // of HostSpans
    enum class Type : uint8_t { kInteger, kReal, kText } type = Type::kInteger;
    int64_t integer = 0;
    double real = 0;
    StringId text{0};
};

// Arguments of a message-passing call. -1: not told.
struct Message {
    uint32_t row = 0;  // of HostSpans
    int64_t tag = -1, rank = -1, peer = -1, root = -1, bytes = -1, sent_bytes = -1, received_bytes = -1;
};

// What called a call of the API or of the system, where the source tells.
struct CallChain {
    uint32_t row = 0;   // of HostSpans
    StringId stack{0};  // as in CpuSamples
};

// What counters of the processor counted from the begin to the end of ops, in their threads; by row. -1: not
// known. Slots that nothing tells of stay empty.
struct OpCounters {
    std::vector<uint32_t> row;  // of HostSpans
    std::array<std::vector<int64_t>, kCounterSlots> slots;
    size_t size() const { return row.size(); }
    int64_t at(size_t slot, size_t i) const { return slots[slot].empty() ? -1 : slots[slot][i]; }
};

// Page faults of unified memory.
struct PageFault {
    int64_t time = 0, dur = 0;
    TrackId track;    // the process's row
    DeviceId device;  // invalid: a fault of the CPU
    int64_t address = 0, count = 1;
    StringId access{0};  // "Read", "Write", ...; empty: not told
};

// Creation of a node of a device graph, by capture or by a call. Node numbers count within a rank.
struct GraphNode {
    TrackId thread;  // that captured it
    int64_t time = 0;
    int64_t node = 0;       // as in DeviceExtras::graph_node
    int64_t original = -1;  // the node that it was cloned from; -1: none
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
    std::vector<int8_t> kind;          // MemoryKind; -1: not told
    std::vector<StringId> stack;       // as in CpuSamples; empty: not told
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

// What threads ran on CPUs when a timer of the profiler asked.
struct CpuSamples {
    std::vector<int64_t> time;
    std::vector<TrackId> track;
    std::vector<int32_t> cpu;     // -1: not told
    std::vector<StringId> stack;  // functions from the one that ran out to its callers, one a line
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
