// What a kernel reads and writes at least.
#pragma once

#include <unordered_set>

#include "cost/estimate.h"

namespace opsight::cost {

struct Traffic {
    double weights = 0, inputs = 0, outputs = 0;
    // Of all this, what the last cache can not have kept from a layer before, nor keep for another.
    double beyond_cache = 0;
    double all() const { return weights + inputs + outputs; }
};

// Of groups of nodes under settings; all in O(inputs and outputs) of the group.
class TrafficOf {
  public:
    TrafficOf(const Network& network, const Flow& flow, const Settings& settings, const Sizes& sizes,
              const std::vector<Group>& groups);

    // Each tensor that goes in or comes out once; what stays inside of the group does not move.
    Traffic forward(size_t group) const;
    // Gradients of outputs are read, those of inputs and parameters written, and what was kept is read again.
    Traffic backward(size_t group) const;
    bool has_gradient(const ModelNode& node) const;
    // Of what moves in one go, as much as does not fit the last cache.
    double beyond(double bytes) const { return bytes > cache_ ? bytes - cache_ : 0; }

  private:
    struct Reads;
    void find_first_reads(size_t group);
    std::unordered_set<TensorId> made_in(size_t group) const;
    std::unordered_set<TensorId> kept_by(size_t group) const;
    bool leaves(TensorId id, size_t group) const;
    bool is_kept(TensorId id) const;

    const Network& network_;
    const ModelGraph& graph_;
    const Flow& flow_;
    const Sizes& sizes_;
    const std::vector<Group>& groups_;
    std::vector<size_t> group_of_;
    // By tensor, the first group that reads it, and the first whose backward pass reads it again.
    std::vector<size_t> read_first_in_, kept_for_;
    bool train_;
    double cache_ = 0;
};

}  // namespace opsight::cost
