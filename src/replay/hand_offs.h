// Where the main thread does nothing that is recorded while another thread works: it waits for that one, as
// for the thread of the backward pass, or for a collective that it asked for before and then did other work.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/recording.h"

namespace opsight::replay {

struct HandOff {
    static constexpr uint32_t kNone = UINT32_MAX;
    size_t worker = 0;           // thread
    int64_t wake = 0, done = 0;  // when that one begins and ends
    bool beside = false;         // that one began while the main thread was at work still
    int64_t lag = 0;             // from being asked to its begin
    uint32_t asked = kNone, first = kNone, last = kNone, resumed = kNone;  // tasks around both
};

// By time. At most one at a time; none across a mark.
std::vector<HandOff> find_hand_offs(const Recording& recording);

}  // namespace opsight::replay
