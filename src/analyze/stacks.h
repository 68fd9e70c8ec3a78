// Where in the program ops were called, from the Python frames of traces with stacks.
//
// A stack is the user's frames around the call, innermost first, with ";" between: without those of PyTorch,
// of Python's own library and of built-in functions; where there are no others, PyTorch's. A backward op has
// that of its forward op. What the source itself says of an op stays.
#pragma once

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// Fills OpDetails::stack. Call after find_nesting and find_directions. Cost: one pass over the host spans,
// and one text for each distinct stack.
void find_stacks(Profile& profile, const Analysis& analysis);

// Whether a frame is the user's: "train.py(45): step" is, "torch/nn/modules/module.py(1553): _call_impl" not.
bool is_user_frame(std::string_view frame);

}  // namespace opsight::analyze
