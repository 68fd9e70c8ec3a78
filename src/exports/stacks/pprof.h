#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

// The profile.proto of pprof, compressed: calls and CPU time of ops, spans and time of devices.
Format pprof_format();

}  // namespace opsight::exports
