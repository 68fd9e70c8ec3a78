// While a recording becomes a profile: a Ctrl-C, or another signal to end, leaves the recording and says
// where, and nothing of the half-written profile. What is ignored stays ignored.
#pragma once

#include <string>

namespace opsight::cli {

class KeptWhenStopped {
  public:
    KeptWhenStopped(const std::string& folder, const std::string& output);
    ~KeptWhenStopped();
    KeptWhenStopped(const KeptWhenStopped&) = delete;
    KeptWhenStopped& operator=(const KeptWhenStopped&) = delete;
};

}  // namespace opsight::cli
