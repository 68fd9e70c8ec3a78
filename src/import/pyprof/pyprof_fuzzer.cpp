// Imports any bytes as output of PyProf.
#include "import/pyprof/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    opsight::PeekedSource source(opsight::memory_source({reinterpret_cast<const char*>(data), size}));
    opsight::ProfileBuilder builder;
    if (opsight::importer::pyprof::import_output({source, "input"}, builder))
        (void)std::move(builder).finish();
    return 0;
}
