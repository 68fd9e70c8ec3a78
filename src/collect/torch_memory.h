// Allocations of PyTorch's CPU memory, recorded.
//
// They are seen by wrapping the CPU allocator. c10's memory reporting would need the thread's PROFILER_STATE
// slot, and while that is taken the program's own profiler refuses to start.
#pragma once

namespace opsight::collect {

// Wraps the allocator in use. One that cannot free by address alone is left as it is.
void watch_memory();
// What was allocated meanwhile goes on to be freed by our way.
void unwatch_memory();

}  // namespace opsight::collect
