// Reads any database as an export of Nsight Systems, or a database of DLProf or nvprof.
#include "base/fuzz_file.h"
#include "import/import.h"
#include "import/reader/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (!opsight::importer::looks_like_sqlite({reinterpret_cast<const char*>(data), size})) return -1;
    static const opsight::FuzzFile file;
    file.fill(data, size);
    opsight::importer::ImportOptions options;
    options.threads = 1;
    (void)opsight::importer::import_files({file.path()}, options);
    return 0;
}
