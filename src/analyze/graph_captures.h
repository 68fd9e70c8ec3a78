// Captures of device graphs that a trace holds call by call, the launches of graphs, and which capture a
// launch repeats. PyTorch's traces tell no node of a graph; but those of ROCm tell of each call that launches
// a kernel its name, also where the call was captured and ran nothing.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// The work of a node: a kernel by its full name, or one of these.
using NodeWork = uint32_t;
inline constexpr NodeWork kCopyNode = UINT32_MAX - 1, kSetNode = UINT32_MAX - 2, kUntoldNode = UINT32_MAX - 3;

struct GraphCapture {
    RankId rank;
    int64_t end = 0;
    std::vector<NodeWork> work;      // in the order of the calls
    std::vector<HostSpanId> origin;  // beside it: the innermost op at the call, else the call
    bool told = true;                // whether all work is
};

// By end. Needs parent, op_span and launch. Cost: linear, and n log n in the captured calls.
std::vector<GraphCapture> find_graph_captures(const Profile& profile, const Analysis& analysis);

struct GraphReplay {
    HostSpanId launch;
    std::vector<uint32_t> spans;  // of the device, by begin
};

// Launches of graphs with work in the profile, in row order.
std::vector<GraphReplay> find_graph_replays(const Profile& profile, const Analysis& analysis);
// A launch's work, to be compared with that of captures.
std::vector<NodeWork> work_of(const Profile& profile, const GraphReplay& replay);

// Which captures have the work of a replay: the same, in the same order, or with one node more at the end:
// ROCm's profilers do not tell of the last kernel of a graph in each of its launches.
class CaptureIndex {
  public:
    void add(const std::vector<NodeWork>& work, size_t capture);
    // In the order in which they were added; null: none.
    const std::vector<size_t>* find(const std::vector<NodeWork>& work) const;

    static constexpr size_t kFewestWithoutLast = 8;  // shorter ones are too easily alike

  private:
    absl::flat_hash_map<std::vector<NodeWork>, std::vector<size_t>> fitting_;
};

// The captures of another trace of the same program, in words of their own.
struct CapturedOp {
    std::string name;
    std::vector<std::string> layer;  // names from the root on
    std::string shapes, dtypes;
    Direction direction = Direction::kOther;
    bool is_op = true;  // else a call outside of all ops
    friend bool operator==(const CapturedOp&, const CapturedOp&) = default;
};
struct CapturedGraphs {
    struct Graph {
        std::vector<std::string> kernels;  // of the nodes; empty: a copy or set
        std::vector<NodeWork> work;        // beside it, for copies and sets
        std::vector<uint32_t> ops;         // beside it, into `ops`
    };
    std::vector<CapturedOp> ops;
    std::vector<Graph> graphs;
    size_t untold = 0;  // captures of which not all kernels have names
};

// Adds the captures of an analysed profile.
void add_captured_graphs(const Profile& profile, const Analysis& analysis, CapturedGraphs& to);

}  // namespace opsight::analyze
