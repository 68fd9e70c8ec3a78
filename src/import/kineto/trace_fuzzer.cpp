// Feeds any bytes to the Kineto importer. Seeds: tests/fuzz/seeds.
#include <cstdint>

#include "import/kineto/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto source = opsight::memory_source({reinterpret_cast<const char*>(data), size});
    opsight::ProfileBuilder builder;
    if (opsight::importer::kineto::import_trace(*source, "fuzzed", {}, builder)) std::move(builder).finish();
    return 0;
}
