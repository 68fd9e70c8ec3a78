#include "hardware/occupancy.h"

#include <algorithm>
#include <iterator>

namespace opsight::hardware {
namespace {

struct Row {
    int major, minor;
    int64_t threads, blocks, registers, shared_kib;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr Row kTable[] = {
    {3, 0, 2048, 16, 65536, 48},   {3, 5, 2048, 16, 65536, 48},   {3, 7, 2048, 16, 131072, 112},
    {5, 0, 2048, 32, 65536, 64},   {5, 2, 2048, 32, 65536, 96},   {5, 3, 2048, 32, 65536, 64},
    {6, 0, 2048, 32, 65536, 64},   {6, 1, 2048, 32, 65536, 96},   {6, 2, 2048, 32, 65536, 64},
    {7, 0, 2048, 32, 65536, 96},   {7, 2, 2048, 32, 65536, 96},   {7, 5, 1024, 16, 65536, 64},
    {8, 0, 2048, 32, 65536, 164},  {8, 6, 1536, 16, 65536, 100},  {8, 7, 1536, 16, 65536, 164},
    {8, 9, 1536, 24, 65536, 100},  {9, 0, 2048, 32, 65536, 228},  {10, 0, 2048, 32, 65536, 228},
    {10, 3, 2048, 32, 65536, 228}, {12, 0, 1536, 24, 65536, 100}, {12, 1, 1536, 24, 65536, 100},
};

int64_t round_up(int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

std::optional<SmLimits> sm_limits(int major, int minor) {
    const auto row = std::find_if(std::begin(kTable), std::end(kTable),
                                  [&](const Row& r) { return r.major == major && r.minor == minor; });
    if (row == std::end(kTable)) return std::nullopt;
    SmLimits limits;
    limits.threads = row->threads;
    limits.blocks = row->blocks;
    limits.warps = row->threads / 32;
    limits.registers = row->registers;
    limits.registers_per_block = std::min<int64_t>(row->registers, 65536);
    limits.shared_bytes = row->shared_kib * 1024;
    limits.shared_unit = major >= 8 ? 128 : 256;
    limits.reserved_shared_bytes = major >= 8 ? 1024 : 0;
    limits.parts = major == 6 && minor == 0 ? 2 : 4;
    return limits;
}

int64_t resident_blocks(const SmLimits& limits, const Launch& launch) {
    if (launch.threads_per_block <= 0 || launch.threads_per_block > limits.threads ||
        launch.registers_per_thread > limits.max_registers_per_thread)
        return 0;
    const int64_t warps = (launch.threads_per_block + limits.warp_size - 1) / limits.warp_size;
    int64_t blocks = std::min(limits.blocks, limits.warps / warps);
    if (launch.registers_per_thread > 0) {
        // Registers come from as many files as the multiprocessor has parts; a block must fit with its warps
        // spread evenly.
        const int64_t per_warp =
            round_up(launch.registers_per_thread * limits.warp_size, limits.register_unit);
        if (per_warp * round_up(warps, limits.parts) > limits.registers_per_block) return 0;
        blocks = std::min(blocks, limits.registers / limits.parts / per_warp * limits.parts / warps);
    }
    const int64_t shared =
        launch.shared_bytes_per_block > 0 || limits.reserved_shared_bytes > 0
            ? round_up(launch.shared_bytes_per_block + limits.reserved_shared_bytes, limits.shared_unit)
            : 0;
    if (shared > 0) blocks = std::min(blocks, limits.shared_bytes / shared);
    return blocks;
}

double occupancy_pct(const SmLimits& limits, const Launch& launch) {
    const int64_t warps = (launch.threads_per_block + limits.warp_size - 1) / limits.warp_size;
    return 100.0 * static_cast<double>(resident_blocks(limits, launch) * warps) /
           static_cast<double>(limits.warps);
}

}  // namespace opsight::hardware
