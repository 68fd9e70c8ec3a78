// Imports any bytes as a profile of pprof, and as folded stacks, of few samples: more of them find nothing
// more.
#include "import/stacks/folded.h"
#include "import/stacks/pprof.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace opsight;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    for (const auto import : {importer::stacks::import_pprof, importer::stacks::import_folded}) {
        PeekedSource source(memory_source(bytes));
        ProfileBuilder builder;
        if (import({source, "input"}, builder, 10000)) (void)std::move(builder).finish();
    }
    return 0;
}
