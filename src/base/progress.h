// Progress of one long task, shown on a terminal as rate and time left; silent elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace opsight {

class Progress {
  public:
    // `shown`: whether to print at all (callers ask isatty for standard error).
    explicit Progress(bool shown) : shown_(shown) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // A new stage of `total` bytes; 0: not known.
    void stage(std::string label, uint64_t total);
    // Bytes done of the stage. Any thread may call it; printing happens at most ten times a second.
    void set_done(uint64_t done);
    // Takes the line off the terminal.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    std::string line(uint64_t done) const;

    const bool shown_;
    std::mutex mutex_;
    std::string label_;
    uint64_t total_ = 0;
    Clock::time_point begin_ = Clock::now();
    std::atomic<int64_t> next_print_ms_{0};
    bool on_screen_ = false;
};

// "1.03 GB", "12 kB"
std::string format_bytes(uint64_t bytes);

}  // namespace opsight
