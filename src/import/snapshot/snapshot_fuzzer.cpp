// Imports any bytes as a snapshot of PyTorch's memory.
#include "import/snapshot/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    opsight::PeekedSource source(opsight::memory_source(text));
    opsight::ProfileBuilder builder;
    if (opsight::importer::snapshot::import_snapshot({source, "input"}, builder))
        (void)std::move(builder).finish();
    return 0;
}
