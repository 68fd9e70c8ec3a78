// Reads any bytes as an HLO module, in text or binary.
#include "import/model/model_import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    (void)opsight::importer::import_hlo({reinterpret_cast<const char*>(data), size});
    return 0;
}
