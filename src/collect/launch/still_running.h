// Processes of a recorded program that outlive it, as daemons do.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace opsight::collect {

// How many record into this folder, or will once they get as far as PyTorch, NVTX or CUDA: those that have
// one of the captures mapped, and those that were told of the folder. Processes that are about to end are
// waited for this long.
// `proc`: where the system tells of processes.
size_t still_running(const std::string& capture_folder, const std::vector<std::string>& captures,
                     std::chrono::milliseconds patience, const std::string& proc = "/proc");

}  // namespace opsight::collect
