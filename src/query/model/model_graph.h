// The network of a profile (opsight import --model) with what its nodes took in the range: as a table, and as
// a graph of which a part is open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/ask/question.h"

namespace opsight::query {

struct ModelFacts {
    std::string name, format, precision, device;
    double batch = 0;
    int64_t nodes = 0, matched = 0;
    double gpu_share_pct = -1;  // of the GPU time of all ops, in matched ones; -1: there is none
    std::vector<std::string> notes;
};

// Times of nodes are of the ops that ran them, forward and backward.
struct ModelSums {
    int64_t nodes = 0, matched = 0, calls = 0;
    int64_t gpu_ns = 0, backward_gpu_ns = 0;  // gpu_ns: both directions
    int64_t cpu_ns = 0, backward_cpu_ns = 0;
    // Nodes by Tensor Core use; neither where no kernel ran.
    int64_t tc_using = 0, tc_eligible = 0, tc_not_eligible = 0, tc_unknown = 0;
    double macs = 0, flops = 0, parameters = 0;
    double bound_ns = 0, math_bound_ns = 0, memory_bound_ns = 0;  // of forward passes
};

// A group or a node, as it is shown.
struct ModelItem {
    int64_t group = -1, node = -1;  // one of them is set
    int64_t parent = -1;            // group
    std::string label, name, op_type, shape, layer, matched;
    bool open = false;
    ModelSums sums;
    int64_t op = -1, begin_ns = -1, dur_ns = 0;  // identity and first call in the range; -1: none
    std::string op_name;
    double share_pct = -1;             // of the GPU time of all ops
    std::string tensor_cores() const;  // "using", "eligible", "not_eligible", "unknown" or nothing
    std::string limiter() const;       // "math", "memory" or nothing
};

struct ModelEdge {
    size_t from, to;  // into the items
    int64_t tensors = 0;
    std::string shape;  // of the first
};

struct ModelView {
    ModelFacts facts;
    ModelSums all;
    std::vector<ModelItem> items;  // parents before children
    std::vector<ModelEdge> edges;
    bool cut = false;  // not all that was to be open is
};

// Most items in an answer; groups that would make it more stay closed.
inline constexpr size_t kMostModelItems = 600;

// `open`: groups whose children are shown. Nothing where the profile has no network.
Result<std::optional<ModelView>> model_graph(Session& session, const std::vector<int64_t>& open);

Result<ResultTable> model_nodes(Session& session, const TableSubject& subject, const TableShape& shape);

}  // namespace opsight::query
