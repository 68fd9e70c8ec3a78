// Feeds any bytes to the reader of cubins. Seeds: tests/fuzz/models.
#include <cstdint>

#include "hardware/cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto cubin = opsight::hardware::read_cubin({reinterpret_cast<const char*>(data), size});
    if (cubin)
        for (const auto& kernel : cubin->kernels)
            if (kernel.name.size() > size) __builtin_trap();
    return 0;
}
