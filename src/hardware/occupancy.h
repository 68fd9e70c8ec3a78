// Theoretical occupancy: how many of a multiprocessor's warps a kernel's launch can keep resident, by the
// rules of CUDA's occupancy calculator (cuda_occupancy.h and the CUDA C++ Programming Guide, "Compute
// Capabilities").
#pragma once

#include <cstdint>
#include <optional>

namespace opsight::hardware {

// Limits of one streaming multiprocessor.
struct SmLimits {
    int64_t threads = 0, blocks = 0, warps = 0;
    int64_t registers = 0, registers_per_block = 0;
    int64_t register_unit = 256;  // registers are given out to warps in such units
    int64_t parts = 4;            // of the register file
    int64_t shared_bytes = 0;
    int64_t shared_unit = 0;            // shared memory is given out to blocks in such units
    int64_t reserved_shared_bytes = 0;  // taken by the system from each block
    int64_t warp_size = 32;
    int64_t max_registers_per_thread = 255;
};

// The limits of a compute capability; nothing for one that is not in the table (major 0: not known).
std::optional<SmLimits> sm_limits(int major, int minor);

struct Launch {
    int64_t threads_per_block = 0;
    int64_t registers_per_thread = 0;
    int64_t shared_bytes_per_block = 0;  // static and dynamic
};

// Resident blocks per multiprocessor; 0 where the launch cannot run on such a device.
int64_t resident_blocks(const SmLimits& limits, const Launch& launch);

// Resident threads / the multiprocessor's threads, in percent.
double occupancy_pct(const SmLimits& limits, const Launch& launch);

}  // namespace opsight::hardware
