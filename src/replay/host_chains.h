// Threads as chains of tasks: each stretch of time belongs to the innermost span, or to none.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "replay/hand_offs.h"
#include "replay/recording.h"

namespace opsight::replay {

// A call that waits for the device: the time until the wait is over is not work of the thread.
struct Wait {
    size_t thread = 0, span = 0;
    int64_t begin = 0, end = 0;
    uint32_t after = 0;  // the task that resumes
};

// Where a call begins.
struct Caller {
    uint32_t task = 0;
    RuleSet rules = 0;
};

struct HostChains {
    std::unordered_map<int64_t, Caller> callers;  // by HostSpan::id
    std::vector<Wait> waits;
    std::vector<uint32_t> marks, ends;  // at Recording::marks; the last task of each thread
    std::vector<HandOff> hand_offs;
};

HostChains chain_threads(const Recording& recording, Graph& graph);

}  // namespace opsight::replay
