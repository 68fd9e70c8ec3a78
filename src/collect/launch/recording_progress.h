// What is said of a recording while it runs: when a process's capture is full, once; and where somebody looks
// on, how large it is and what was lost, after 10 s, 20 s, 40 s, ... The lines are whole ones and rare, since
// they stand between those of the program.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace opsight::collect {

class RecordingProgress {
  public:
    RecordingProgress();

    // One capture; then tell() after all of them.
    void look(const std::string& path);
    void tell();

  private:
    const bool terminal_;
    const int64_t began_ns_;
    int64_t next_s_ = 10;
    std::set<std::string> full_;
    // Of all captures since the last tell().
    uint64_t bytes_ = 0, lost_ = 0, overwritten_ = 0;
};

}  // namespace opsight::collect
