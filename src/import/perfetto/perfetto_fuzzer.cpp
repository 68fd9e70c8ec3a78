// Imports any bytes as a trace of Perfetto.
#include "import/perfetto/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    opsight::PeekedSource source(opsight::memory_source(bytes));
    opsight::ProfileBuilder builder;
    if (opsight::importer::perfetto::import_packets({source, "input"}, builder))
        (void)std::move(builder).finish();
    return 0;
}
