#include "import/rocprof/told.h"

#include <algorithm>

namespace opsight::importer::rocprof {

using simdjson::dom::object;

int64_t number_of(const object& from, std::string_view key, int64_t otherwise) {
    int64_t value = otherwise;
    return from[key].get(value) == simdjson::SUCCESS ? value : otherwise;
}

void describe_agent(const object& agent, Device& device) {
    device.sm_count = std::max<int64_t>(0, number_of(agent, "cu_count"));
    device.warp_size = std::max<int64_t>(0, number_of(agent, "wave_front_size"));
    // gfx90a is 90010, gfx950 90500.
    const int64_t version = std::clamp<int64_t>(number_of(agent, "gfx_target_version"), 0, 9999999);
    device.compute_major = static_cast<int>(version / 10000);
    device.compute_minor = static_cast<int>(version / 100 % 100);
    device.clock_hz = std::clamp<int64_t>(number_of(agent, "max_engine_clk_fcompute"), 0, 1000000) * 1000000;
    simdjson::dom::array banks;
    if (agent["mem_banks"].get(banks) != simdjson::SUCCESS) return;
    for (const simdjson::dom::element item : banks)
        if (object bank; item.get(bank) == simdjson::SUCCESS)
            device.memory_bytes = std::max(device.memory_bytes, number_of(bank, "size_in_bytes"));
}

void count_blocks(LaunchConfig& config) {
    for (size_t axis = 0; axis < 3; ++axis) {
        const int64_t block = config.block[axis], threads = config.grid[axis];
        if (block > 0 && threads >= 0) config.grid[axis] = threads / block + (threads % block != 0);
    }
}

CopyKind copy_kind(std::string_view operation) {
    if (operation.ends_with("HOST_TO_HOST")) return CopyKind::kHostToHost;
    if (operation.ends_with("HOST_TO_DEVICE")) return CopyKind::kHostToDevice;
    if (operation.ends_with("DEVICE_TO_HOST")) return CopyKind::kDeviceToHost;
    return operation.ends_with("DEVICE_TO_DEVICE") ? CopyKind::kDeviceToDevice : CopyKind::kUnknown;
}

}  // namespace opsight::importer::rocprof
