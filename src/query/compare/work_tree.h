// What a side's iterations did: layers, their ops, the ops' work on devices. Sums of whole nanoseconds for
// each iteration, such that kernels add up to their op, ops to their layer, and layers to everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/reports/iteration_shares.h"

namespace opsight::query {

// Time and calls of something in all iterations.
struct Amount {
    int64_t ns = 0, calls = 0;  // in all
    int64_t mean_ns = 0;        // of an iteration, shared out so that means add up
    // Of each iteration, where there are many of each batch of iterations that follow each other.
    std::vector<int64_t> samples;

    void add(const Amount& other);
};

struct DeviceWork {
    std::string name, label;
    std::string uses_tc;  // "yes", "no", "unknown"
    Amount gpu;
};

struct TreeOp {
    std::string name, direction, shapes, dtypes;
    size_t layer = 0;
    Amount cpu;  // its own time on the host
    Amount gpu;  // of its work, each span for itself
    std::vector<DeviceWork> work;
};

struct TreeLayer {
    std::string name, path;
    size_t parent = 0;
    std::vector<size_t> layers, ops;  // that stand in it, in the order in which they were first seen
};

struct WorkTree {
    std::vector<TreeLayer>
        layers;               // the first is the root, in which stands what has no layer; parents come first
    std::vector<TreeOp> ops;  // those with calls or device work in the range
    int64_t iterations = 0;   // 1 of a whole recording
    Amount cpu, gpu;
};

inline constexpr size_t kMostBatches = 64;

// The work of these iterations, all of one rank; one of number -1 is the whole recording. Cost: one pass over
// ops and device spans in the database, and one over (op, kernel, iteration).
Result<WorkTree> read_work_tree(Session& session, const std::vector<IterationShares>& samples);

}  // namespace opsight::query
