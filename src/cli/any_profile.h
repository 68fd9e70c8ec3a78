// A profile file for commands that also take a trace: that is imported into a temporary profile.
#pragma once

#include <string>

#include "base/result.h"

namespace opsight::cli {

class AnyProfile {
  public:
    // A profile file is used as it is; anything else goes through import, told on standard error unless
    // `quiet`.
    static Result<AnyProfile> open(const std::string& path, bool quiet);
    AnyProfile(AnyProfile&& other) noexcept
        : path_(std::move(other.path_)), folder_(std::move(other.folder_)) {
        other.folder_.clear();
    }
    AnyProfile& operator=(AnyProfile&&) = delete;
    ~AnyProfile();  // removes a temporary profile

    const std::string& path() const { return path_; }

  private:
    AnyProfile(std::string path, std::string folder) : path_(std::move(path)), folder_(std::move(folder)) {}
    std::string path_;
    std::string folder_;  // to remove; empty: none
};

}  // namespace opsight::cli
