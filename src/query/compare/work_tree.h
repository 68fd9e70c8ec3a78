// What a side's iterations did: layers, their ops, the ops' work on devices. Sums of whole nanoseconds for
// each iteration, such that kernels add up to their op, ops to their layer, and layers to everything.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

// How a kernel was launched: of several ways the one that took most time. -1: not recorded.
struct LaunchShape {
    std::array<int64_t, 3> grid{-1, -1, -1}, block{-1, -1, -1};
    int64_t registers = -1, shared_bytes = -1;  // of a thread, of a block
    double occupancy_pct = -1, waves = -1;      // docs/metrics.md
    int64_t ways = 0;                           // that there are in all
};

struct DeviceWork {
    std::string name, label;
    std::string uses_tc;  // "yes", "no", "unknown"
    Amount gpu;
    bool communication = false;
    std::optional<LaunchShape> launch = {};  // where launches were asked for
};

struct TreeOp {
    std::string name, direction;
    std::string shapes, dtypes;  // of inputs, JSON on one line: producers differ in blanks
    size_t layer = 0;
    Amount cpu;  // its own time on the host
    Amount gpu;  // of its work, each span for itself
    std::vector<DeviceWork> work;
    int64_t id = -1;  // of its identity; -1: of none
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
    int64_t iterations = 0;   // 1 of a whole recording; what means are of is this many times `batch`
    int64_t batch = 1;
    bool by_runs = false;  // samples are means of several runs, and none of iterations
    Amount cpu, gpu;
};

// Whether a list of shapes or types tells anything: some sources write an empty one for what they leave out.
bool is_recorded(const std::string& list);

// What a side tells of its ops beside their names.
struct Recorded {
    bool layers = false, shapes = false, dtypes = false;
};
Recorded recorded_in(const WorkTree& tree);

inline constexpr size_t kMostBatches = 64;

// What is read beside times.
struct WorkOptions {
    int64_t batch = 1;      // items of an iteration: times and calls are of one of them
    bool launches = false;  // how kernels were launched: one more pass over device spans
};

// The work of these iterations, all of one rank; one of number -1 is the whole recording. Cost: one pass over
// ops and device spans in the database, and one over (op, kernel, iteration).
Result<WorkTree> read_work_tree(Session& session, const std::vector<IterationShares>& samples,
                                const WorkOptions& options = {});

}  // namespace opsight::query
