// Reorders of oneDNN, by what they reorder.
#pragma once

#include <string>

#include "query/reports/activity_times.h"

namespace opsight::query {

// When ops of the choice's names reorder tensors that have the batch of a convolution of the range:
// activations, and no weights. Of the choice its pattern and but_values go.
Result<Occurrences> times_of_activation_reorders(Session& session, const OpChoice& choice);

}  // namespace opsight::query
