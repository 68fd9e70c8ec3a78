// Profile: everything that was recorded in one run, read-only once ProfileBuilder::finish() returned it.
// Times are ns since `origin_ns`, the first event of the run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/diagnostics.h"
#include "model/entities.h"
#include "model/spans.h"
#include "model/told_ops.h"
#include "store/string_pool.h"

namespace opsight {

// What the source says of itself and of the machine.
struct ProfileInfo {
    std::string producer;                 // "PyTorch Kineto", "Opsight collector"
    std::vector<std::string> frameworks;  // "PyTorch", with its version where it is known
    std::vector<std::string> sources;     // the files
    int64_t origin_ns =
        0;  // ns since 1970 of time 0, where the source has wall-clock times, else its own zero
    bool origin_is_unix = false;
    int64_t begin_ns = 0, end_ns = 0;  // first begin and last end of all spans
    // Further facts in the words of the source: "cuda_runtime_version", "cpu_model", ...
    std::vector<std::pair<std::string, std::string>> properties;
    std::vector<std::pair<std::string, int64_t>> unread_tables;  // of the source, with their rows
};

// When a rank was not recorded, between two times at which it was: what it did then is not known.
struct RecordingPause {
    RankId rank;
    int64_t begin = 0, end = 0;
};

struct Profile {
    ProfileInfo info;
    StringPool strings;
    std::vector<Rank> ranks;
    std::vector<Device> devices;
    std::vector<Track> tracks;
    std::vector<Signature> signatures;
    std::vector<LaunchConfig> launch_configs;
    std::vector<Collective> collectives;
    std::vector<Transfer> transfers;
    std::vector<Context> contexts;
    std::vector<KernelNames> kernel_names;     // where the source tells more than the full name
    std::vector<KernelCode> kernel_code;       // where the source has it; one entry per kernel
    std::vector<StringId> kernels_without_tc;  // names of which the source says that none used Tensor Cores
    std::vector<NvtxAttributes> nvtx_attributes;
    HostSpans host;
    OpDetails op_details;
    std::vector<int64_t> api_correlation;  // of runtime and driver calls; -1: none
    std::vector<int32_t> api_result;       // what the call returned; -1: not told
    std::vector<StringId> api_kernel;  // full name of the kernel that the call launches; invalid: not told
    NvtxRanges nvtx;
    std::vector<NvtxPayload> nvtx_payloads;  // by row
    std::vector<Message> messages;           // by row
    std::vector<CallChain> call_chains;      // by row
    OpCounters op_counters;
    DeviceSpans device;
    DeviceExtras device_extras;
    std::vector<ToldOp> told_ops;
    ToldWork told_work;
    std::vector<PageFault> page_faults;
    std::vector<GraphNode> graph_nodes;
    MemoryEvents memory;
    CounterSamples counters;
    CpuSamples samples;
    std::vector<FlowEnd> flows;
    std::vector<RecordingPause> pauses;  // by (rank, begin); those of a rank do not overlap
    Diagnostics diagnostics;
};

}  // namespace opsight
