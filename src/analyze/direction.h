// Direction of host work (forward, backward, optimizer, data loading), and the forward op of each backward
// op.
//
// Told by names of ranges ("...Backward0", "autograd::engine::...", "Optimizer.step#...",
// "enumerate(DataLoader)#..."), by the thread id of a forward op that the source gives for backward ops, and
// by the thread: what runs on a thread that does nearly only backward work is backward. Everything inside
// takes the direction of what encloses it, except that a checkpoint's recomputation is forward work again:
// what CheckpointFunctionBackward encloses, and in other nodes (checkpoints that are not reentrant) module
// calls, frames of torch/utils/checkpoint.py, and ops up to the last one that is to be differentiated itself
// (it has a sequence number) where ops without one follow.
//
// A backward op is linked to the op of the same sequence number that began last on its forward thread, else
// by the source's forward-backward flow; what it encloses takes over its link and its layer (communication:
// no layer). The engine's call of a node takes those of the node. A gradient is accumulated for the layer of
// the node that ran before.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Returns the direction of every host span and fills forward; sets layer of backward ops. Needs parent,
// op_span and layer. Cost: a few passes over the host spans, and n log n in the flows where those are needed.
std::vector<Direction> find_directions(const Profile& profile, Analysis& analysis);

}  // namespace opsight::analyze
