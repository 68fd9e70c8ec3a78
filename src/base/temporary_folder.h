// A folder for files of one command, which goes with all in it.
#pragma once

#include <string>
#include <utility>

#include "base/left_behind.h"
#include "base/result.h"

namespace opsight {

class TemporaryFolder {
  public:
    static Result<TemporaryFolder> create();
    const std::string& path() const { return folder_.path(); }

  private:
    explicit TemporaryFolder(std::string path) : folder_(std::move(path)) {}
    LeftBehind folder_;
};

}  // namespace opsight
