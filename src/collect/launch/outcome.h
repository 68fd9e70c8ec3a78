// What became of the recording of CUDA in a run, by what the processes noted in their captures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opsight::collect {

struct CudaOutcome {
    struct Problem {
        std::string line;  // for people
        uint64_t count;    // how often a process noted it
    };
    bool recorded = false;  // in at least one process
    std::vector<Problem> problems;
};
CudaOutcome cuda_outcome(const std::vector<std::string>& captures);

}  // namespace opsight::collect
