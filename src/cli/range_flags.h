// The options that choose a range of iterations, for the commands that take one.
#pragma once

#include "cli/command.h"
#include "query/session/session.h"

namespace opsight::cli {

class RangeFlags {
  public:
    void declare(CLI::App& sub);
    void declare_rank(CLI::App& sub);
    query::RangeOptions options() const;

  private:
    int64_t start_ = -1, stop_ = -1, rank_ = -1;
    query::RangeOptions given_;
};

}  // namespace opsight::cli
