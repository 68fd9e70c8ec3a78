// A file or folder of one command that must not stay: it goes at the end of its life, and also where a signal
// ends the process: Ctrl-C, or a reader of the output that wants no more (`opsight stats report.sqlite |
// head`).
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

namespace opsight {

class LeftBehind {
  public:
    explicit LeftBehind(std::string path);
    LeftBehind(LeftBehind&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    LeftBehind& operator=(LeftBehind&&) = delete;
    ~LeftBehind();
    const std::string& path() const { return path_; }
    // It stays, or is there no more.
    void let_go();

  private:
    std::string path_;
};

// Removes what all that are alive stand for. For a signal handler that ends the process in a way of its own:
// it only makes calls that a handler may make.
void remove_left_behind();

// A program that works for us in a process group of its own: a signal that ends this process ends it first.
// Made before the program is started: a signal that comes meanwhile waits for it to be known.
class ChildProgram {
  public:
    ChildProgram();
    ChildProgram(const ChildProgram&) = delete;
    ~ChildProgram();
    void began(pid_t group);
};

}  // namespace opsight
