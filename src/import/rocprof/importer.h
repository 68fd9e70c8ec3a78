// Imports JSON results of rocprofv3 (ROCprofiler-SDK).
#pragma once

#include <string>

#include "base/byte_source.h"
#include "base/progress.h"
#include "model/profile_builder.h"

namespace opsight::importer::rocprof {

struct ResultFacts {
    uint64_t bytes = 0, events = 0;
};

struct ResultOptions {
    Progress* progress = nullptr;
    uint64_t disk_before = 0;  // of the files that came before this one
};

Result<ResultFacts> import_results(PeekedSource& source, const std::string& name,
                                   const ResultOptions& options, ProfileBuilder& builder);

}  // namespace opsight::importer::rocprof
