// Imports profiles in XPlane form (.xplane.pb), as TensorFlow's and JAX's profilers write them: devices with
// their streams or cores, the programs of XLA, host threads.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "base/progress.h"
#include "model/profile_builder.h"

namespace opsight::importer::xplane {

struct ProfileFacts {
    uint64_t bytes = 0, events = 0;
};

struct ProfileOptions {
    int64_t rank_hint = -1;  // from the file's name
    Progress* progress = nullptr;
    uint64_t disk_before = 0;  // of the files that came before this one
};

// Memory: the largest plane, beside what the builder takes.
Result<ProfileFacts> import_profile(PeekedSource& source, const std::string& name,
                                    const ProfileOptions& options, ProfileBuilder& builder);

}  // namespace opsight::importer::xplane
