// Imports any bytes as results of rocprofv3, and as traces of rocprof 1 and 2.
#include "import/rocprof/chrome.h"
#include "import/rocprof/importer.h"
#include "import/rocprof/plugin_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    {
        opsight::PeekedSource source(opsight::memory_source(text));
        opsight::ProfileBuilder builder;
        if (opsight::importer::rocprof::import_results(source, "input", {}, builder))
            (void)std::move(builder).finish();
    }
    for (const auto read :
         {opsight::importer::rocprof::import_chrome, opsight::importer::rocprof::import_plugin_json}) {
        opsight::PeekedSource source(opsight::memory_source(text));
        opsight::ProfileBuilder builder;
        if (read({source, "input"}, builder)) (void)std::move(builder).finish();
    }
    return 0;
}
