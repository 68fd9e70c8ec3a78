// A program that runs for us in a process group of its own, with its output in a file: how it ended, by
// itself, by a limit of time, or because somebody stopped us.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace opsight::cli {

struct ChildEnd {
    int exit_code = 0;  // as a shell tells it
    int signal = 0;
    bool timed_out = false;
    int stopped_by = 0;  // the signal that we got meanwhile, which ended it; 0: none
    double wall_s = 0;
    std::optional<int64_t> rss_bytes;  // the most of it, or of a process that it waited for
};

// While one lives, Ctrl-C and other signals to end wait until a child is run, or `stopped()` asks.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;
    // The signal that came; 0: none.
    int stopped() const;
};

// `limit_s` 0: none. The group gets SIGTERM, and SIGKILL where it is there ten seconds later; it goes too
// where we are killed.
Result<ChildEnd> run_child(const std::vector<std::string>& words, const std::string& output, double limit_s,
                           const StopSignals& signals);

}  // namespace opsight::cli
