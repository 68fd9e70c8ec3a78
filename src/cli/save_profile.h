// From a freshly read Profile to a profile file: analysis and writing, as `import` and `profile` do it.
#pragma once

#include <optional>
#include <string>

#include "analyze/analyze.h"
#include "base/result.h"
#include "model/profile.h"

namespace opsight::cli {

struct SavedProfile {
    uint64_t file_bytes = 0;
    size_t ops = 0, nvtx = 0, device = 0, iterations = 0, layers = 0;
};

Result<SavedProfile> save_profile(Profile profile, const std::string& path, bool overwrite,
                                  const analyze::AnalysisOptions& options = {});

// Prints the diagnostics that tell of lost or doubtful data to standard error, one line each, but for
// `left_out`.
void print_diagnostics(const Diagnostics& diagnostics, std::optional<Diag> left_out = {});

}  // namespace opsight::cli
