// The things a profile is about: ranks, devices, tracks, and the interned descriptions that spans share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/spans.h"

namespace opsight {

// One process group member whose events were recorded together (one trace file of a distributed run).
struct Rank {
    int64_t number = 0;         // the rank in its job; counted up from 0 where the source does not say
    bool number_known = false;  // the source named it
    int64_t world_size = -1;    // -1: not known
    std::string source;         // the file that it came from
    std::string host;
    std::string backend;      // "nccl", "gloo", ...; empty: not known
    std::string format;       // "logs of oneDNN", as importers call what it was read from; empty: not told
    bool name_tells = false;  // the file's name has the number
    // What it did before is not all there: newer records took its place. ns, as the times of spans.
    std::optional<int64_t> kept_from_ns;
};

// One accelerator as one rank sees it. A value of 0 (or an empty text) means that the source does not tell.
struct Device {
    RankId rank;
    int64_t number = 0;  // the id in the source: 0 and -1 are values
    std::string name;
    int compute_major = 0, compute_minor = 0;
    int64_t sm_count = 0;
    int64_t memory_bytes = 0;
    int64_t max_threads_per_sm = 0, max_threads_per_block = 0;
    int64_t registers_per_sm = 0, registers_per_block = 0;
    int64_t shared_memory_per_sm = 0, shared_memory_per_block = 0, shared_memory_per_block_optin = 0;
    int64_t warp_size = 0;
    int64_t memory_bandwidth = 0;  // bytes/s
    int64_t clock_hz = 0, l2_bytes = 0;
    double matrix_flops = 0;  // per second, of its matrix units at most
    std::string uuid, bus_location, chip;
    bool declared = false;  // named in the header of the source; false: known only from events that ran on it
};

enum class TrackKind : uint8_t {
    kHostThread,        // calls of one thread; spans nest
    kDeviceStream,      // work on one stream or queue; spans need not nest
    kDeviceAnnotation,  // ranges projected onto a stream by the source (gpu_user_annotation)
    kOther,             // rows of the source with no thread or stream ("Spans", "Traces")
};

struct Track {
    TrackKind kind = TrackKind::kHostThread;
    RankId rank;
    int64_t pid = 0, tid = 0;  // host threads; streams have the pid where the source tells it
    DeviceId device;           // device tracks
    int64_t context = 0, stream = 0;
    StringId name;                // thread or stream name of the source; empty where it has none
    StringId process_name;        // process name or label of the source
    StringId pid_text, tid_text;  // as in the source, where they are not numbers
    static constexpr int32_t kNoPriority = INT32_MIN;
    int32_t priority = kNoPriority;  // of a thread or stream
};

// Input description of ops, kept as the source wrote it (JSON text); one entry per distinct tuple.
struct Signature {
    StringId shapes;    // "[[32, 3, 224, 224], [64, 3, 7, 7], []]"
    StringId dtypes;    // "[\"float\", \"float\", \"\"]"
    StringId concrete;  // values of scalar arguments
    StringId strides;
    friend bool operator==(const Signature&, const Signature&) = default;
};

// Launch shape and resources of kernels; one entry per distinct tuple. -1: the source does not tell.
struct LaunchConfig {
    int64_t grid[3] = {-1, -1, -1};
    int64_t block[3] = {-1, -1, -1};
    int64_t registers_per_thread = -1;
    int64_t static_shared_bytes = -1;  // all of it where the source does not part static and dynamic
    int64_t dynamic_shared_bytes = -1;
    double source_occupancy_pct = -1;  // the source's own estimate
    double source_blocks_per_sm = -1, source_warps_per_sm = -1;
    int64_t local_bytes_per_thread = -1;
    int64_t shared_executed_bytes = -1;  // shared memory that the driver set aside
    int64_t cluster[3] = {-1, -1, -1};
    int64_t launch_type = -1;  // 1 regular, 2 cooperative (one device), 3 cooperative (several)
    friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

// Where memory of a copy or a set lies. Numbers are those of Nsight Systems' exports.
enum class MemoryKind : int8_t {
    kUnspecified = -1,
    kPageable,
    kPinned,
    kDevice,
    kArray,
    kManaged,
    kDeviceStatic,
    kManagedStatic,
    kUnknown,
};
std::string_view memory_kind_name(MemoryKind kind);  // "Pageable", ...; empty: not told

// What a copy moves, between which sides. Numbers are those of Nsight Systems' exports and CUPTI.
enum class CopyKind : int8_t {
    kUnspecified = -1,
    kUnknown,
    kHostToDevice,
    kDeviceToHost,
    kHostToArray,
    kArrayToHost,
    kArrayToArray,
    kArrayToDevice,
    kDeviceToArray,
    kDeviceToDevice,
    kHostToHost,
    kPeerToPeer,
    kUnifiedHostToDevice,
    kUnifiedDeviceToHost,
    kUnifiedDeviceToDevice,
    kCount
};
std::string_view copy_kind_name(CopyKind kind);  // "HtoD", ...; empty: not told

// Description of copies and sets; one entry per distinct tuple.
struct Transfer {
    CopyKind copy = CopyKind::kUnspecified;                                     // copies
    MemoryKind from = MemoryKind::kUnspecified, to = MemoryKind::kUnspecified;  // of a set: `to`
    int64_t from_device = -1, to_device = -1, from_context = -1, to_context = -1;
    int64_t value = -1;            // that a set writes
    int64_t migration_cause = -1;  // of unified memory, as in the source
    int64_t copies = -1;           // that were recorded as one
    friend bool operator==(const Transfer&, const Transfer&) = default;
};
// Reads "Memcpy HtoD (Pageable -> Device)" and "Memset (Device)".
Transfer transfer_of_name(std::string_view name);
std::string name_of_copy(const Transfer& transfer);
std::string name_of_set(const Transfer& transfer);

// A CUDA context.
struct Context {
    RankId rank;
    int64_t number = 0, device = -1, parent = -1;
    bool green = false;
};

// Further names of a kernel, beside the full one that its spans have.
struct KernelNames {
    StringId name, base, mangled;  // empty: not told
};

// What the compiled code of a kernel tells.
struct KernelCode {
    StringId name;                   // as its spans have it
    StringId matrix_instruction{0};  // the first one that is in it; empty: none is
};

// Facts that NVTX ranges share; one entry per distinct tuple.
struct NvtxAttributes {
    NvtxType type = NvtxType::kPushPop;
    int64_t domain = 0;       // number in the source
    StringId domain_name{0};  // empty: the default domain
    int64_t category = 0;     // 0: none
    StringId category_name{0};
    int64_t color = -1;  // ARGB; -1: none
    friend bool operator==(const NvtxAttributes&, const NvtxAttributes&) = default;
};

// Description of one collective communication call; one entry per distinct tuple. -1: not told.
struct Collective {
    StringId name, dtype, group_name, group_description, group_ranks;
    int64_t in_elements = -1, out_elements = -1, group_size = -1;
    friend bool operator==(const Collective&, const Collective&) = default;
};

}  // namespace opsight
