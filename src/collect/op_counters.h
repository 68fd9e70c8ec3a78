// Which counters of the processor the observer reads around ops.
#pragma once

namespace opsight::collect {

// Writes which of those that were asked for (opsight_torch_counters) this process can have, and why not the
// others, as facts of the process. Nothing where none were.
void tell_counters();

}  // namespace opsight::collect
