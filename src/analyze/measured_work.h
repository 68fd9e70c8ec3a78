// What counters of a launch say of its work: FLOPs, bytes by level, use of Tensor Cores.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace opsight::analyze {

// Empty: what the counters hold does not tell it. A type of numbers (single, half, double) counts where its
// additions, multiplications and both at once (which count as two) were counted.
struct MeasuredWork {
    std::optional<double> flops;         // of the ordinary units
    std::optional<double> tensor_flops;  // of Tensor Cores
    std::optional<double> memory_bytes, l2_bytes, l1_bytes;
    std::optional<bool> tensor_cores;
};

// `counters`: by the names that readers of Nsight Compute's tables give them ("smsp__..._ffma_pred_on.sum
// [inst]", "Memory Workload Analysis: Memory Throughput [byte/s]"). `ns`: how long the measured launch took,
// -1: not told. `compute_major`, `compute_minor`: of the device, 0: not told.
MeasuredWork measured_work(const std::vector<std::pair<std::string_view, double>>& counters, double ns,
                           int compute_major, int compute_minor);

}  // namespace opsight::analyze
