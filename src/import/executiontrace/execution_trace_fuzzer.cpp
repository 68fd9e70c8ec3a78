// Reads any bytes as an execution trace of PyTorch, and as one of Chakra.
#include "import/executiontrace/chakra.h"
#include "import/executiontrace/execution_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    opsight::PeekedSource source(opsight::memory_source({reinterpret_cast<const char*>(data), size}));
    (void)opsight::importer::read_chakra(source);
    (void)opsight::importer::parse_execution_trace(text);
    return 0;
}
