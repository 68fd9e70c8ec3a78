// Imports any bytes as a table of Nsight Compute.
#include "import/ncu/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text =
        "\"ID\",\"Process ID\",\"Kernel Name\"," + std::string(reinterpret_cast<const char*>(data), size);
    opsight::PeekedSource source(opsight::memory_source(text));
    opsight::ProfileBuilder builder;
    if (opsight::importer::ncu::import_table({source, "input"}, builder)) (void)std::move(builder).finish();
    return 0;
}
