// Reorders of oneDNN, by what they reorder.
#pragma once

#include <string>

#include "query/reports/activity_times.h"

namespace opsight::query {

// When ops whose names match reorder tensors that have the batch of a convolution of the range: activations,
// and no weights.
Result<Occurrences> times_of_activation_reorders(Session& session, const std::string& pattern);

}  // namespace opsight::query
