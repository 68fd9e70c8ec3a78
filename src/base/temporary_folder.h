// A folder for files of one command. It goes, with all in it, at the end of its life, and also where a signal
// ends the process: Ctrl-C, or a reader of the output that wants no more (`opsight stats report.sqlite |
// head`).
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "base/result.h"

namespace opsight {

class TemporaryFolder {
  public:
    static Result<TemporaryFolder> create();
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();
    const std::string& path() const { return path_; }

  private:
    explicit TemporaryFolder(std::string path);
    std::string path_;
};

// A program that works for us in a process group of its own: a signal that ends this process ends it first.
class ChildProgram {
  public:
    explicit ChildProgram(pid_t group);
    ChildProgram(const ChildProgram&) = delete;
    ~ChildProgram();
};

}  // namespace opsight
