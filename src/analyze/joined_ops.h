// Arguments of ops that an execution trace of the same run tells, joined with the calls of a profile:
// PyTorch's ExecutionTraceObserver records shapes and values without times, and its profiler need not have
// recorded them.
#pragma once

#include <string>
#include <vector>

#include "model/execution_trace.h"
#include "model/profile.h"

namespace opsight::analyze {

struct JoinedOps {
    int64_t told = 0, ops = 0;  // calls of the execution traces, and of the profile
    int64_t by_number = 0;      // of them: with PyTorch's own number of the call, and its name
    int64_t by_order = 0;       // in the one place of a thread where the same calls stand in the same order
    int64_t given = 0;          // calls of the profile that got shapes or values
    int64_t alike = 0;          // whose shapes the profile has as well, the same
    int64_t contradicted = 0;   // that have other shapes in the profile: those stay
    int64_t odd_nodes = 0;      // of the files, not read
    std::vector<std::string> problems;  // why calls of a file or a thread were not joined

    int64_t joined() const { return by_number + by_order; }
    // "928 of 928 calls joined with 928 of 37078 ops (928 in the same order); ..."
    std::string summary() const;
};

// A trace is of the rank whose ops ran in the process that it names; where several ranks have a process of
// that number, its file's name tells which. Nothing is joined where two places fit. Cost: linear in the calls
// for each thread of an execution trace and each of the process's where calls have no numbers.
JoinedOps join_execution_traces(Profile& profile, const std::vector<ExecutionTrace>& traces);

}  // namespace opsight::analyze
