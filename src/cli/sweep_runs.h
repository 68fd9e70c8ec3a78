// Runs the points of a sweep, or reads profiles that are there, into its folder.
#pragma once

#include <string>
#include <vector>

#include "query/sweep/sweep_folder.h"

namespace opsight::cli {

using query::SweepFolder;
using query::SweepPlan;
using query::SweepRun;

struct SweepHow {
    int64_t repeats = 3;
    bool bare = true;
    uint64_t seed = 1;
    double limit_s = 0;  // of one run; 0: none
    bool retry_failed = false;
};

// What is not there yet, each run under `opsight profile` and, where that is asked for, by itself. A failure
// is a result; only what makes all further runs useless is an error. The value: 0, or the exit code after a
// signal.
Result<int> run_sweep(SweepFolder& folder, const SweepHow& how);

// Reads the profile or trace of each point.
Status import_sweep(SweepFolder& folder);

// Whose: what `opsight profile` says around a program stands in the same output.
enum class Words : uint8_t { kOfProgram, kOfOpsight };

// Why a program failed, by how it ended and the end of its output.
std::string reason_of(int exit_code, const std::string& signal, const std::string& output_file, Words words);

}  // namespace opsight::cli
