// Feeds any bytes to the reader of SoCs. Seeds: tests/fuzz/mappings.
#include "import/timeloop/socs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto soc = opsight::importer::timeloop::read_soc_text(text, "fuzzed.yaml");
    if (!soc) {
        if (soc.error().what.empty() || soc.error().remedy.empty()) __builtin_trap();
        return 0;
    }
    const size_t engines = soc->engines.size();
    if (engines == 0 || soc->host >= engines || soc->links.size() != engines * engines) __builtin_trap();
    for (const auto& engine : soc->engines)
        if (!(engine.clock_hz > 0) || engine.arch.empty() == engine.file.empty()) __builtin_trap();
    return 0;
}
