// Reads any bytes as an export of Nsight Systems or a database of DLProf.
#include "base/fuzz_file.h"
#include "import/sqlite/importer.h"
#include "model/profile_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const opsight::FuzzFile file;
    file.fill(data, size);
    opsight::ProfileBuilder builder;
    if (opsight::import_sqlite(file.path(), {}, builder)) (void)std::move(builder).finish();
    return 0;
}
