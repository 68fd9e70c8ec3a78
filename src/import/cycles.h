// Files of one process that a profiler wrote one after the other (torch.profiler.schedule(repeat=...)).
#pragma once

#include "model/profile_builder.h"

namespace opsight::importer {

// Joins the ranks that are certainly cycles of one profiler: of one process (processes.h) and one rank, one
// after the other, with ProfilerStep marks whose numbers go on, and a pause in which the steps between could
// run and the trace be written. docs/FORMATS.md has the rule. All others stay.
void join_cycles(ProfileBuilder& builder);

}  // namespace opsight::importer
