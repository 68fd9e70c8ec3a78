// Traces of Perfetto (https://perfetto.dev/docs/reference/trace-packet-proto): a track for each thread and
// stream, nested slices with arguments, an arrow from each launch to its work, counters.
#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

Format perfetto_format();

}  // namespace opsight::exports
