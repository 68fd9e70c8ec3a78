// What the analyses find: columns beside the spans of a Profile, and the tables that they point into.
// Everything here is independent of the chosen range of iterations, except `iterations` themselves and the
// two `iteration` columns: sums over any range are made from these facts by query/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "hardware/devices.h"

namespace opsight::cost {
enum class WorkKind : uint8_t;  // cost/op_work.h
}

namespace opsight::analyze {

using KernelId = Id<struct KernelTag>;  // into Analysis::kernels

enum class Direction : uint8_t { kForward, kBackward, kOptimizer, kDataLoad, kOther };
enum class TensorCoreUse : uint8_t { kNo, kYes, kUnknown };  // unknown is not "no"
enum class TensorCoreEvidence : uint8_t { kNone, kName, kSass, kCounter };
enum class KernelClass : uint8_t { kCompute, kCommunication };

// Exclusive classes of a moment of a rank (docs/metrics.md, resource shares). The numbers are those of files,
// the order in which they count is resources.cpp's.
enum class Resource : uint8_t {
    kTensorCoreKernel,
    kOtherKernel,
    kCommunication,
    kMemory,
    kDataLoader,
    kFileIo,
    kCpu,            // ops and API calls
    kIdle,           // nothing that is recorded
    kUnknownKernel,  // whether it uses Tensor Cores is not known
    kHost,           // Python, ranges, and other calls of the program
    kCount
};

// Op identity: name + layer + direction + input shapes and dtypes.
struct Op {
    StringId name, type;  // type: the name without what tells instances apart ("aten::conv2d" -> "conv2d")
    LayerId layer;        // invalid: none known
    Direction direction = Direction::kForward;
    StringId shapes, dtypes;
    bool tc_eligible = false;  // by name, on a device that takes the dtype; or seen to launch such kernels
};

// A node of the module tree; parents come before children.
struct Layer {
    StringId name, path;  // "Linear_3", "Net_0/Sequential_1/Linear_3"
    LayerId parent;
    uint16_t depth = 0;
};

// A distinct kernel name.
struct Kernel {
    StringId name,
        short_name;     // as recorded (demangled where the source does); without templates and arguments
    StringId label{0};  // short_name, with what tells the kernel apart from others of that one
    KernelClass kernel_class = KernelClass::kCompute;
    TensorCoreUse uses_tc = TensorCoreUse::kNo;
    TensorCoreEvidence evidence = TensorCoreEvidence::kNone;
    StringId tc_pattern;  // what told: part of the name, or the instruction; empty where none did
    StringId base_name{0}, mangled_name{0};  // as the source tells them; empty: it does not
};

// What one op instance and everything under it put on devices and spent in API calls; only instances with
// any.
struct OpWork {
    HostSpanId span;
    int64_t api_ns = 0;          // driver and runtime calls under the op, outermost calls only
    int64_t gpu_ns = 0;          // union of the device spans
    int64_t gpu_idle_ns = 0;     // (last end - first begin) - gpu_ns
    int64_t kernel_ns = 0;       // sum of the kernels' durations
    int64_t tc_kernel_ns = 0;    // the part of it on Tensor Cores
    int64_t self_kernel_ns = 0;  // kernels launched with this op innermost
    int64_t self_gpu_ns = 0;     // union of device spans launched with this op innermost
    uint32_t kernels = 0, tc_kernels = 0, unknown_tc_kernels = 0, memcpys = 0, memsets = 0, self_kernels = 0;
    static constexpr int32_t kNoDevice = -1, kSeveralDevices = -2;
    int32_t device = kNoDevice;  // that all of it ran on
};

struct Iteration {
    RankId rank;
    int64_t number = 0;  // 0, 1, ... within the rank
    int64_t begin_ns = 0, end_ns = 0;
    StringId name;  // of the marker; empty where inferred
    bool warmup = false;
    StringId warmup_reason;
};

enum class IterationSource : uint8_t { kNone, kKeyOp, kRangeRegex, kStepMarker, kOptimizerStep, kInferred };

// Which iterations there are, on which ground.
struct Iterations {
    IterationSource source = IterationSource::kNone;
    double confidence = 0;          // 1 for everything but kInferred
    std::string description;        // in words: "48 x ProfilerStep#", "period of 317 kernels seen 12 times"
    std::vector<Iteration> list;    // by (rank, begin)
    int64_t start = -1, stop = -1;  // the range that reports show unless asked; -1: theirs to choose
};

// A stretch of one rank's time with one class of resource; without gaps from the rank's first span to its
// last.
struct ResourceSegment {
    RankId rank;
    int64_t begin_ns, end_ns;
    Resource resource;
};

// How the peaks of a device are known.
enum class PeakSource : uint8_t {
    kNone,     // they are not
    kTable,    // its name is in the device table
    kDerived,  // from a device of the same architecture, or from its own properties
};

// What a device of the profile can do at most.
struct DevicePeaks {
    PeakSource source = PeakSource::kNone;
    hardware::Device model;  // of the table; made from one where derived
};

// A distinct piece of work on one device: the formula of an op for its arguments, or a copy.
struct CountedWork {
    StringId name;    // the op whose formula it is; of copies and the like the kind of span
    DeviceId device;  // invalid: the host
    cost::WorkKind kind{};
    double macs = 0, flops = 0, matrix_flops = 0;
    double recomputed_flops = 0;  // the part of matrix_flops that computes again what was not kept
    double bytes = 0;
    bool estimate = false;  // something was not told and assumed: `note`
    std::string_view note;
    hardware::Precision precision = hardware::Precision::kFp32;  // whose peak bounds its products
    bool bounded = false;  // peaks are known, and they are what it waits for
    bool believed = true;  // that its times are those of the work; else memory_ns alone is told
    double math_ns = 0, memory_ns = 0, bound_ns = 0;
};

// Merged busy time of one device. kernel_only: union of kernels alone, else of kernels, copies and sets.
struct BusySegment {
    DeviceId device;
    int64_t begin_ns, end_ns;
    bool kernel_only;
};

// Merged times of communication kernels of one device, and where compute kernels ran meanwhile.
struct CommSegment {
    DeviceId device;
    int64_t begin_ns, end_ns;
    bool overlapped;  // with a compute kernel on that device
};

// Sums of one stream over the work of one iteration (streams.h says what they mean).
struct StreamStats {
    TrackId stream;
    int32_t iteration = -1;
    int64_t spans = 0, busy_ns = 0;  // busy: union
    int64_t host_wait_ns = 0, queued_wait_ns = 0, other_wait_ns = 0;
    int64_t queued_ns = 0, queue_max = 0;
    double occupancy_pct_ns = 0;     // sum of occupancy x duration over the kernels of which it is known
    int64_t occupancy_known_ns = 0;  // sum of their durations
    friend bool operator==(const StreamStats&, const StreamStats&) = default;
};

struct Analysis {
    // Beside Profile::host
    std::vector<HostSpanId> parent;  // innermost enclosing span of the thread
    std::vector<uint16_t> depth;
    // Innermost op that encloses the op; of other spans: that is open at its begin. Itself not counted.
    std::vector<HostSpanId> op_span;
    std::vector<int32_t> iteration;  // Iteration::number; -1: in none
    std::vector<LayerId> layer;  // of modules: the module itself; of ops: the op's; else of what encloses it
    // Beside Profile::op_details
    std::vector<OpId> op;
    std::vector<int64_t> self_ns;     // duration minus child ops
    std::vector<HostSpanId> forward;  // of backward ops: the forward op; else invalid
    // As span_work and span_share for the op's self time; empty in profiles with device work.
    std::vector<int32_t> self_work;
    std::vector<double> self_share;
    // Beside Profile::device
    std::vector<HostSpanId> launch;     // the API call; invalid: none found
    std::vector<HostSpanId> launch_op;  // innermost op (HostKind::kOp) at the call; invalid: none
    // Identity that the span counts for, always valid: of graphs whose capture is in the profile that of the
    // op (else annotation) open there; else of launch_op; else of the innermost annotation open at the call
    // (step markers aside), as an op of type "annotation"; else a pseudo-op "unassociated_<api>", both of the
    // layer that is open at the call; or "unattributed" where no launch was found. The pseudo-ops have the
    // direction kOther.
    std::vector<OpId> device_op;
    std::vector<KernelId> kernel;  // of kernels
    std::vector<int32_t> device_iteration;
    // Work that the span did: of `works`, -1 not counted, and how much of it. Kernels that one call launched
    // share its work by their times; a copy has as many shares as bytes.
    std::vector<int32_t> span_work;
    std::vector<double> span_share;
    std::vector<uint8_t> device_flags;  // SpanFlags of device spans, and those of these two that hold
    static constexpr uint8_t kFirstOfLaunch = 64;  // its call's time counts with this span and no other
    static constexpr uint8_t kInEligibleOp = 128;  // of, or launched in, an op that can use Tensor Cores
    std::vector<int64_t> host_ns;  // begin of the launching call, else the span's own: decides its iteration

    std::vector<Op> ops;
    std::vector<Layer> layers;
    std::vector<Kernel> kernels;
    std::vector<OpWork> op_work;  // by span
    std::vector<double>
        occupancy_pct;          // beside Profile::launch_configs: theoretical; -1 where it cannot be told
    std::vector<double> waves;  // beside it: blocks / those that the device holds at once; -1 as above
    std::vector<CountedWork> works;
    std::vector<DevicePeaks> peaks;  // beside Profile::devices
    DevicePeaks host_peaks;          // of the processor that ops ran on
    Iterations iterations;
    std::vector<ResourceSegment> resources;  // by (rank, begin)
    std::vector<BusySegment> busy;           // by (device, kernel_only, begin)
    std::vector<CommSegment> communication;  // by (device, begin)
    std::vector<StreamStats> streams;        // by (stream, iteration)
};

}  // namespace opsight::analyze
