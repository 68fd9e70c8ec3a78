// What is told of device work by its source (model/told_ops.h), as the analyses ask for it.
#pragma once

#include <string_view>
#include <vector>

#include "analyze/results.h"
#include "model/profile.h"

namespace opsight::analyze {

// The op that each device span is of; empty where the profile has none at all, invalid ids for spans without.
std::vector<ToldOpId> told_of_spans(const Profile& profile);

// By the name that the framework gives it: JAX transposes what it differentiates, TensorFlow has scopes of
// gradients. kOther where the source names none.
Direction direction_of_told(std::string_view framework_name);

// Work of device spans by what their source counted for their ops: entries of `works` and, by span, its work
// and how much of it. Kernels of one execution share it by their times: neighbours of one op on one stream,
// until a kernel comes again.
class ToldWorkShares {
  public:
    explicit ToldWorkShares(const Profile& profile);
    // Invalid: nothing is counted for the span.
    ToldOpId op(size_t span) const { return ops_.empty() ? ToldOpId() : ops_[span]; }
    double share(size_t span) const { return shares_[span]; }

  private:
    std::vector<ToldOpId> ops_;
    std::vector<double> shares_;
};

}  // namespace opsight::analyze
