// Imports any bytes as a timeline of TensorFlow.
#include "import/tftimeline/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    opsight::PeekedSource source(opsight::memory_source(text));
    opsight::ProfileBuilder builder;
    if (opsight::importer::tftimeline::import_timeline({source, "input"}, builder))
        (void)std::move(builder).finish();
    return 0;
}
