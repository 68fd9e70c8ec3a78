// A lock that one process holds: it goes with the process, however that ends.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace opsight::fleet::parquet {

class FolderLock {
  public:
    // Waits for whoever holds it. The file is made where it is not there.
    static Result<FolderLock> take(const std::string& path);
    // Nothing where somebody holds it, or has just removed it.
    static Result<std::optional<FolderLock>> try_take(const std::string& path);
    FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    FolderLock& operator=(FolderLock&&) = delete;
    ~FolderLock();

  private:
    explicit FolderLock(int file) : file_(file) {}
    int file_;
};

}  // namespace opsight::fleet::parquet
