// Names of events where there is little room: without what most of their kind begin with.
#pragma once

#include <string_view>

namespace opsight::query {

// "aten::conv2d" -> "conv2d", "/usr/lib/torch/nn/module.py(15): call" -> "module.py(15): call". Labels of
// kernels (analyze/kernel_labels.h) stay as they are. A part of `name`, never empty where that is not.
std::string_view short_event_name(std::string_view name);

}  // namespace opsight::query
