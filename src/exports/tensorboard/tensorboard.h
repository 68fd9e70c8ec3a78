#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

// Event files of TensorBoard: the time of iterations as scalars, summaries as texts, ops as a graph.
Format tensorboard_format();

}  // namespace opsight::exports
