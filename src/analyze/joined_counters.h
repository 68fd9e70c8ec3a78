// Counters that another recording of the same program has of its kernels, joined with those of a profile:
// Nsight Compute runs each kernel several times over and tells nothing of when, so its numbers belong onto
// the timeline of a run that it did not disturb.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/profile.h"

namespace opsight::analyze {

// Whether counters saw Tensor Cores at work in a kernel: in any of its launches.
struct CountedKernel {
    StringId name;
    bool tensor_cores = false;
};

struct JoinedCounters {
    int64_t launches = 0;                // that were measured
    int64_t by_sequence = 0;             // of them: in the place of the same sequence of kernels
    int64_t by_order = 0;                // the n-th of its name, grid and block, of which there are as many
    int64_t by_ranges = 0;               // of those joined: told from others by the NVTX ranges around them
    int64_t alike = 0;                   // measured alike in all launches of its name, grid and block
    int64_t ambiguous = 0, unknown = 0;  // several launches may be it; none has its name, grid and block
    std::vector<std::string> ambiguous_kernels, unknown_kernels;  // names of some
    int64_t kernels = 0, covered = 0;                             // of the profile
    int64_t kernel_ns = 0, covered_ns = 0;
    std::vector<CountedKernel> counted;

    int64_t joined() const { return by_sequence + by_order + alike; }
    // "280 of 284 launches measured ... joined with 280 of 290 kernels (98.6 % of their time); ..."
    std::string summary() const;
};

// What is added to the counters of a kernel, beside those that were measured.
inline constexpr std::string_view kMeasuredFlops = "measured FLOPs",
                                  kMeasuredTensorFlops = "measured Tensor Core FLOPs",
                                  kMeasuredMemory = "measured memory bytes",
                                  kMeasuredL2 = "measured L2 bytes", kMeasuredL1 = "measured L1 bytes",
                                  kMeasuredNs = "measured GPU time [ns]";

// Of a measured launch that stands for several, as nvprof's sums do: how many.
inline constexpr std::string_view kInvocations = "invocations";

// Adds the counters of launches as samples at the begin of the kernels that they are of, on a track of their
// own beside each stream with the same rank, device, context, stream and process. Names of kernels are
// compared whole where `measured` has them whole, else without templates and arguments; grids and blocks
// where the profile has them. Cost: linear, and n log n in the kernels of both.
JoinedCounters join_counters(Profile& profile, const Profile& measured);

}  // namespace opsight::analyze
