// Inputs of inferred iterations: what repeats are kernels, or ops, and the batch that they work on was loaded
// and copied to the device before the first of them.
#pragma once

#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Begins of the loads of data of each rank, and of the outermost ops, calls or ranges (`outermost`, a row for
// each host span, or none) whose copies bring data to a device; by time. Linear, and a sort.
std::vector<std::vector<int64_t>> begins_of_inputs(const Profile& profile, const Analysis& analysis,
                                                   const std::vector<uint32_t>& outermost);

// Where an iteration's first work begins, and behind which work of the one before it.
struct IterationHead {
    int64_t after_ns = 0, begin_ns = 0;
};

// Begins of the iterations of a rank with their inputs: each with the first that lies behind the work before
// it, where most iterations have one; of the first iteration as many count as the next one has. `heads` and
// `inputs` are by time.
std::vector<int64_t> begin_with_inputs(const std::vector<IterationHead>& heads,
                                       const std::vector<int64_t>& inputs);

}  // namespace opsight::analyze
