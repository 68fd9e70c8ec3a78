// The device table as answers: all devices, a row each, or all that is known of one.
#pragma once

#include "hardware/devices.h"
#include "hardware/memory_levels.h"
#include "query/ask/result_table.h"

namespace opsight::query {

// A row a device: facts, and every peak in TFLOP/s (TOP/s for integers).
ResultTable device_table(const std::vector<hardware::Device>& devices, const hardware::MemoryLevels& levels);

// Two columns: what, and how much.
ResultTable device_facts(const hardware::Device& device, const hardware::MemoryLevels& levels);

}  // namespace opsight::query
