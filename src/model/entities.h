// The things a profile is about: ranks, devices, tracks, and the interned descriptions that spans share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

namespace opsight {

// One process group member whose events were recorded together (one trace file of a distributed run).
struct Rank {
    int64_t number = 0;         // the rank in its job; counted up from 0 where the source does not say
    bool number_known = false;  // the source named it
    int64_t world_size = -1;    // -1: not known
    std::string source;         // the file that it came from
    std::string host;
    std::string backend;  // "nccl", "gloo", ...; empty: not known
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
    int64_t pid = 0, tid = 0;  // host threads
    DeviceId device;           // device tracks
    int64_t context = 0, stream = 0;
    StringId name;                // thread or stream name of the source; empty where it has none
    StringId process_name;        // process name or label of the source
    StringId pid_text, tid_text;  // as in the source, where they are not numbers
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
    friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

// Description of one collective communication call; one entry per distinct tuple. -1: not told.
struct Collective {
    StringId name, dtype, group_name, group_description, group_ranks;
    int64_t in_elements = -1, out_elements = -1, group_size = -1;
    friend bool operator==(const Collective&, const Collective&) = default;
};

}  // namespace opsight
