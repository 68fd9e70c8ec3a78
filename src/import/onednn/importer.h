// Imports logs of oneDNN's verbose mode, of every version from MKL-DNN 0.x to oneDNN 3: each primitive that
// was executed or created is an op.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "base/progress.h"
#include "model/profile_builder.h"

namespace opsight::importer::onednn {

struct LogFacts {
    uint64_t bytes = 0, events = 0;
};

struct LogOptions {
    int64_t rank_hint = -1;  // from the file's name
    Progress* progress = nullptr;
    uint64_t disk_before = 0;  // of the files that came before this one
};

Result<LogFacts> import_log(PeekedSource& source, const std::string& name, const LogOptions& options,
                            ProfileBuilder& builder);

}  // namespace opsight::importer::onednn
