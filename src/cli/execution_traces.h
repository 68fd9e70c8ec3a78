// Execution traces of PyTorch beside a trace: given by name, or found where it lies.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace opsight::cli {

// Gives the ops of a profile what the files tell of their arguments; the summary stands in the profile's
// properties, too. Fails where nothing is joined of what was given by name; of `found` files a diagnostic
// tells.
Result<std::string> add_execution_traces(Profile& profile, const std::vector<std::string>& given,
                                         const std::vector<std::string>& found);

}  // namespace opsight::cli
