// Feeds any bytes to the reader of clouds of mappings. Seeds: tests/fuzz/mappings.
#include "base/fuzz_file.h"
#include "query/mapping/cloud_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const opsight::FuzzFile file;
    file.fill(data, size);
    (void)opsight::query::is_cloud(file.path());
    const auto cloud = opsight::query::read_cloud(file.path());
    if (!cloud) {
        if (cloud.error().remedy.empty()) __builtin_trap();
        return 0;
    }
    for (const auto* table : {&cloud->best, &cloud->front, &cloud->points})
        for (const auto& row : table->rows)
            if (row.size() != table->columns.size()) __builtin_trap();
    return 0;
}
