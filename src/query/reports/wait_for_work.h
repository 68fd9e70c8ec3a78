// What goes on while the program waits in a function for work that it handed over, as JAX's
// block_until_ready.
#pragma once

#include <cstdint>
#include <string>

#include "query/session/session.h"

namespace opsight::query {

// Ranks added up, ns; all of the chosen range.
struct WaitForWork {
    int64_t ns = 0, device_ns = 0;  // in the function; of that, with work of a device
    std::string range;              // open on another thread for most of it; empty: none is
    int64_t range_ns = 0;
};

// `function` as its frames are called. Cost: linear in frames and annotations, and a sort.
Result<WaitForWork> wait_for_work(Session& session, const std::string& function);

}  // namespace opsight::query
