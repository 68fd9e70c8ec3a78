// Threads as chains of tasks: each stretch of time belongs to the innermost span, or to none.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
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
    static constexpr uint32_t kNone = UINT32_MAX;
    uint32_t task = kNone;
    RuleSet rules = 0;
};

// The calls that launched work, by HostSpan::id; most spans launch none.
class Callers {
  public:
    explicit Callers(const Recording& recording);
    void set(int64_t id, const Caller& caller) {
        if (const auto launched = known_.find(id); launched != known_.end()) launched->second = caller;
    }
    const Caller* find(int64_t launch) const {  // null: its call was not recorded
        const auto found = known_.find(launch);
        return found == known_.end() || found->second.task == Caller::kNone ? nullptr : &found->second;
    }

  private:
    absl::flat_hash_map<int64_t, Caller> known_;
};

struct HostChains {
    explicit HostChains(const Recording& recording) : callers(recording) {}
    Callers callers;
    std::vector<Wait> waits;
    std::vector<uint32_t> marks, ends;  // at Recording::marks; the last task of each thread
    std::vector<HandOff> hand_offs;
};

HostChains chain_threads(const Recording& recording, Graph& graph);

}  // namespace opsight::replay
