// Small answers that rules of advice judge by. All of the chosen range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/session/session.h"

namespace opsight::query {

// Ops within the optimizer, and those of them that take many tensors at once.
Result<std::pair<int64_t, int64_t>> optimizer_ops(Session& session);

// Kernels, and those that are shorter.
Result<std::pair<int64_t, int64_t>> short_kernels(Session& session, int64_t shorter_than_ns);

// Of the rank with the longest iteration; warm-up left out.
struct IterationSpread {
    int64_t count = 0, median_ns = 0, longest_ns = 0;
    int64_t longest = -1, rank = -1;  // number of the iteration, and of the rank
    int64_t long_ones = 0;            // above `times` the median
    // The marks alone, of the longest and the median: until the next mark begins nothing is marked.
    int64_t longest_own_ns = 0, median_own_ns = 0;
    // Where all are of two lengths and the longer ones take `times` as long at least: the average is neither.
    struct Group {
        int64_t count = 0, min_ns = 0, max_ns = 0;
    };
    std::optional<std::pair<Group, Group>> two_lengths;  // the shorter ones first
};
// "2 of 116.4 - 118.3 ms, 3 of 1015.0 - 1076.4 ms"
std::string words_of(const std::pair<IterationSpread::Group, IterationSpread::Group>& two_lengths);
inline constexpr double kTwoLengths = 1.5;  // iterations of one shape differ by some per cent
Result<IterationSpread> iteration_spread(Session& session, double times);

// Only devices that worked, and of which the source tells both.
struct HeldMemory {
    int64_t rank = 0, device = 0;
    int64_t held = 0, bytes = 0;  // the most that was reserved, and what there is
};
Result<std::vector<HeldMemory>> device_memory(Session& session);

// Devices that worked anywhere in the recording, and others that it names.
struct DeviceCounts {
    int64_t worked = 0, idle = 0;
    bool ranks_elsewhere = false;  // the job has ranks that are not in the profile
    bool listed = false;           // the source lists devices, whether or not they worked
};
Result<DeviceCounts> device_counts(Session& session);

// Of the launch configuration that takes most time among those of low occupancy; limits 0: not known.
struct Occupancy {
    std::string kernel;
    double pct = 0;
    int64_t registers = 0, shared_bytes = 0, threads = 0;  // of a thread, of a block, of a block
    int64_t registers_per_sm = 0, shared_per_sm = 0, threads_per_sm = 0;
};
Result<std::optional<Occupancy>> lowest_occupancy(Session& session, double pct);

// The matrix product that loses most time to tiles that its result does not fill: rows x columns of the
// result, of a tile, and the part of what the tiles cover that is none of it.
struct TileTail {
    std::string op;
    int64_t rows = 0, columns = 0, tile_rows = 0, tile_columns = 0;
    double empty_pct = 0;
};
Result<std::optional<TileTail>> largest_tile_tail(Session& session, double pct);

// FLOP/s at most of 64-bit and of 32-bit floats (not TF32), of the device that worked and does worst on the
// former beside the latter; nothing where it is not known.
Result<std::optional<std::pair<double, double>>> rates_of_floats(Session& session);

// Memory of a device at its peaks: what the allocator holds, and what tensors need of it.
struct ReservedMemory {
    int64_t rank = 0, device = 0;
    int64_t reserved = 0, allocated = 0;  // bytes
};
Result<std::vector<ReservedMemory>> reserved_memory(Session& session);

// Iterations of the range that warm up, and all.
Result<std::pair<int64_t, int64_t>> warmup_in_range(Session& session);

// Python calls and ops that were recorded in the range.
Result<std::pair<int64_t, int64_t>> recorded_calls(Session& session);

// A kind of diagnostic that says that data is missing.
struct Loss {
    std::string key;
    int64_t count = 0;
    std::string help;
};
Result<std::vector<Loss>> lost_data(Session& session);

// Samples of the clock that moves most.
struct ClockSpread {
    int64_t device = 0;
    std::string counter;
    double low = 0, high = 0;  // the 10th and the 90th percentile, in the counter's unit
    int64_t samples = 0;
};
Result<std::optional<ClockSpread>> clock_spread(Session& session);

// Primitives of oneDNN in the range whose creation was recorded.
struct CreatedPrimitives {
    int64_t created = 0, different = 0;  // of other names, sizes, types or attributes
    int64_t cached = 0;                  // asked for, and there already
};
Result<CreatedPrimitives> created_primitives(Session& session);

// Of a source that tells sums over calls of an API and no call: all their time, and the function with most.
struct SummedCalls {
    int64_t all_ns = 0;
    std::string most;
    int64_t ns = 0, calls = 0, longest_ns = 0;  // of that function
};
Result<std::optional<SummedCalls>> summed_calls(Session& session);

}  // namespace opsight::query
