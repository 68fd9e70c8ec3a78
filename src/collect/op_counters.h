// What the observer reads around ops: counters of the processor, and how long threads waited for one.
#pragma once

namespace opsight::collect {

// Has them read by each thread from its first event on. Before the recorder is opened.
void read_around_ops();

// Writes that waits for a processor are counted, where they are, as a fact of the process.
void tell_run_queue();

// Writes which of the counters that were asked for (opsight_torch_counters) this process can have, and why
// not the others, as facts of the process. Nothing where none were.
void tell_counters();

}  // namespace opsight::collect
