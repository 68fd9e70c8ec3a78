// Reads any bytes as a tar archive.
#include <cstdint>

#include "base/tar_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    opsight::TarReader tar(opsight::memory_source({reinterpret_cast<const char*>(data), size}));
    char out[777];
    for (int members = 0; members < 1000; ++members) {
        const auto member = tar.next();
        if (!member || !*member) break;
        const auto source = tar.open_member();
        for (auto got = source->read(out, sizeof out); got && *got > 0;)
            got = source->read(out, sizeof out);
    }
    return 0;
}
