// Imports any bytes as a log of oneDNN.
#include "import/onednn/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    opsight::PeekedSource source(opsight::memory_source(text));
    opsight::ProfileBuilder builder;
    if (opsight::importer::onednn::import_log({source, "input"}, builder)) (void)std::move(builder).finish();
    return 0;
}
