// Work of streams as tasks: in order, after their launches, and after other streams where a wait for those
// was called.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/host_chains.h"
#include "replay/recording.h"

namespace opsight::replay {

// Clocks of device and host agree to this.
inline constexpr int64_t kClockNs = 5'000;

// Work of a stream by launch and by end, to find what a call can have waited for.
class StreamWork {
  public:
    void add(uint32_t task, int64_t launch, int64_t end) { items_.push_back({launch, end, task}); }
    void sort();

    struct Item {
        int64_t launch = 0, end = 0;
        uint32_t task = 0;
    };
    // Of what was launched before then, that which ended last; null: nothing was.
    const Item* launched_before(int64_t time) const;
    // Of what was launched before `launch`, that which ended last until `end`.
    const Item* ended_by(int64_t end, int64_t launch) const;

  private:
    std::vector<Item> items_;     // by launch
    std::vector<uint32_t> last_;  // of the first i + 1 items, the one that ended last
    std::vector<uint32_t> by_end_;
};

struct Streams {
    std::vector<StreamWork> work;
    int64_t event_waits = 0;
};

// `calls`: those of kStreamWait.
Streams chain_streams(const Recording& recording, const HostChains& chains, Graph& graph);

}  // namespace opsight::replay
