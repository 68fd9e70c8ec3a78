// Feeds any bytes to the importer of captures, op signatures included. Seeds: tests/fuzz/seeds.
#include <cstdint>

#include "import/capture/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    opsight::ProfileBuilder builder;
    if (opsight::importer::capture::import_capture({reinterpret_cast<const char*>(data), size}, "fuzzed",
                                                   builder))
        std::move(builder).finish();
    return 0;
}
