// A profile file for commands that also take a trace: that is imported into a temporary profile.
#pragma once

#include <optional>
#include <string>

#include "base/temporary_folder.h"
#include "query/session/session.h"

namespace opsight::cli {

class AnyProfile {
  public:
    // Whether open() uses the file as it is.
    static bool is_profile(const std::string& path);
    // A profile file is used as it is; anything else goes through import, told on standard error unless
    // `quiet`. That it has no iterations of its own is not told where `range` says how to cut them.
    static Result<AnyProfile> open(const std::string& path, bool quiet,
                                   const query::RangeOptions& range = {});
    const std::string& path() const { return path_; }

  private:
    AnyProfile(std::string path, std::optional<TemporaryFolder> folder)
        : path_(std::move(path)), folder_(std::move(folder)) {}
    std::string path_;
    std::optional<TemporaryFolder> folder_;  // of a temporary profile, which goes with it
};

}  // namespace opsight::cli
