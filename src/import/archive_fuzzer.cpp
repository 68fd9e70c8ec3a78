// Imports any bytes as a file of any kind: archives in archives, compressed traces, exports.
#include "base/fuzz_file.h"
#include "import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const opsight::FuzzFile file;
    file.fill(data, size);
    opsight::importer::ImportOptions options;
    options.threads = 1;
    (void)opsight::importer::import_files({file.path()}, options);
    return 0;
}
