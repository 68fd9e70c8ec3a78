// Planes of the host: threads with their ranges (TraceMe), calls of CUDA or HIP, Python functions, ops of
// TensorFlow's executor and of programs that XLA compiled for the CPU, and changes of memory.
#pragma once

#include "import/xplane/sink.h"

namespace opsight::importer::xplane {

void read_host_plane(const Plane& plane, Sink& sink);

}  // namespace opsight::importer::xplane
