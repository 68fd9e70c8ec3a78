// Imports what 'ncu --csv' printed of single launches: one row a launch (page raw) or one a metric (page
// details). Each launch becomes a kernel with its counters.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "base/progress.h"
#include "model/profile_builder.h"

namespace opsight::importer::ncu {

struct TableFacts {
    uint64_t bytes = 0, values = 0;
};

struct TableOptions {
    int64_t rank_hint = -1;  // from the file's name
    Progress* progress = nullptr;
    uint64_t disk_before = 0;  // of the files that came before this one
};

Result<TableFacts> import_table(PeekedSource& source, const std::string& name, const TableOptions& options,
                                ProfileBuilder& builder);

}  // namespace opsight::importer::ncu
