// How data passes between the ops of a network: in which tensors it lies, and which ops read these.
#pragma once

#include <vector>

#include "cost/op_work.h"

namespace opsight::cost {

class Network;

// Outputs of views lie in their input's memory. With `fuse` so do outputs of ops that only say where an
// element is found (transpose, concat, slice, …) or how it is read (a quantized one turned back into a
// number): a kernel that reads or writes such a tensor can go to the place itself. Built once in O(inputs and
// outputs).
class Flow {
  public:
    Flow(const Network& network, bool fuse);

    // The op is not a kernel of its own.
    bool passes(size_t node) const { return passes_[node] != 0; }
    // The tensors where the data of this one lies: itself, unless an op that passes it on makes it.
    const std::vector<TensorId>& sources(TensorId id) const { return sources_[static_cast<size_t>(id)]; }
    // The ops that run and read this source, each as often as it reads it.
    const std::vector<size_t>& readers(TensorId source) const {
        return readers_[static_cast<size_t>(source)];
    }
    bool is_output(TensorId source) const { return outputs_[static_cast<size_t>(source)] != 0; }

  private:
    bool can_pass(const ModelNode& node, const OpWork& work, bool fuse) const;

    std::vector<char> passes_, made_, outputs_;
    std::vector<std::vector<TensorId>> sources_;
    std::vector<std::vector<size_t>> readers_;
};

}  // namespace opsight::cost
