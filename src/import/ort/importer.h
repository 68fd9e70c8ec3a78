// Imports profiles of ONNX Runtime (SessionOptions.enable_profiling): nodes as ops with their shapes, the
// kernels that they launched, runs of the model as iterations.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "base/progress.h"
#include "model/profile_builder.h"

namespace opsight::importer::ort {

struct ProfileFacts {
    uint64_t bytes = 0, events = 0;
};

struct ProfileOptions {
    int64_t rank_hint = -1;  // from the file's name
    Progress* progress = nullptr;
    uint64_t disk_before = 0;  // of the files that came before this one
};

Result<ProfileFacts> import_profile(PeekedSource& source, const std::string& name,
                                    const ProfileOptions& options, ProfileBuilder& builder);

}  // namespace opsight::importer::ort
