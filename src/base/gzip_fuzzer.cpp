// Inflates any bytes, in reads of odd sizes, up to 16 MiB of output.
#include <cstdint>

#include "base/gzip_source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto source = opsight::gunzip(opsight::memory_source({reinterpret_cast<const char*>(data), size}));
    static char out[4099];
    for (size_t total = 0, step = 1; total < size_t{16} << 20; step = step * 7 % sizeof out + 1) {
        const auto got = source->read(out, step);
        if (!got || *got == 0) break;
        total += *got;
    }
    return 0;
}
