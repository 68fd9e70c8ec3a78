// What became of the recording of CUDA in a run, by what the processes noted in their captures.
#pragma once

#include <string>
#include <vector>

namespace opsight::collect {

struct CudaOutcome {
    bool recorded = false;              // in at least one process
    std::vector<std::string> problems;  // lines for people, each once
};
CudaOutcome cuda_outcome(const std::vector<std::string>& captures);

}  // namespace opsight::collect
