// Runs `nsys export` on a report.
#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"

namespace opsight::nsys {

// A folder that is removed, with all in it, at the end.
class TemporaryFolder {
  public:
    static Result<TemporaryFolder> create();
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    ~TemporaryFolder();
    const std::string& path() const { return path_; }

  private:
    explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

Status export_report(const std::string& report, const std::string& output, Progress* progress);

}  // namespace opsight::nsys
