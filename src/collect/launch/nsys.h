// Recording by Nsight Systems, for those who have it.
#pragma once

#include "collect/launch/launcher.h"

namespace opsight::collect {

// Runs `command` under `nsys profile`, which leaves its report in `folder`.
Result<ProgramEnd> run_nsys(const std::vector<std::string>& command, const std::string& folder,
                            const RecordOptions& options);

}  // namespace opsight::collect
