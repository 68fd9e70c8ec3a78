// Imports any bytes as tables of rocprof, one behind the other with a zero byte between them.
#include "import/rocprofcsv/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace opsight;
    std::string_view left(reinterpret_cast<const char*>(data), size);
    std::vector<importer::rocprofcsv::TableFile> files;
    while (!left.empty() && files.size() < 8) {
        const std::string_view part = left.substr(0, left.find('\0'));
        files.push_back({"1_results.csv", std::make_unique<PeekedSource>(memory_source(part)), false});
        left.remove_prefix(std::min(part.size() + 1, left.size()));
    }
    ProfileBuilder builder;
    if (importer::rocprofcsv::import_tables(std::move(files), {}, builder)) (void)std::move(builder).finish();
    return 0;
}
