// Numbers of the driver's device attributes (CUdevice_attribute).
#pragma once

#include <cstdint>

namespace opsight::cuda {

enum Attribute : uint32_t {
    kThreadsPerBlock = 1,
    kBlockX = 2,  // then Y, Z
    kGridX = 5,
    kSharedPerBlock = 8,
    kConstant = 9,
    kWarpSize = 10,
    kRegistersPerBlock = 12,
    kClockKhz = 13,
    kSmCount = 16,
    kEcc = 32,
    kPciBus = 33,
    kPciDevice = 34,
    kMemoryClockKhz = 36,
    kMemoryBus = 37,
    kL2 = 38,
    kThreadsPerSm = 39,
    kCopyEngines = 40,
    kPciDomain = 50,
    kMajor = 75,
    kMinor = 76,
    kSharedPerSm = 81,
    kRegistersPerSm = 82,
    kSharedPerBlockOptin = 97,
    kBlocksPerSm = 106,
    kSharedReserved = 111,
};

}  // namespace opsight::cuda
