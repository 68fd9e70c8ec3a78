// Calls of Python functions, recorded without a Python frame of ours: what stands in for a function is an
// object that looks like it in all but its type, adds nothing to a traceback or to the depth of recursion,
// and costs tens of nanoseconds. All of it is called with the interpreter's lock held, but for undo_all().
#pragma once

#include "collect/observer_api.h"

namespace opsight::collect {

struct ModuleName;

// The optimizer whose step runs on this thread, by its name; null: none, or not known.
const ModuleName* stepping_optimizer();
// Has the main thread put everything back as it was, where it next looks for signals.
void undo_all();

}  // namespace opsight::collect
