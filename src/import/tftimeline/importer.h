// Imports timelines that TensorFlow 1 made of RunMetadata (client/timeline.py): one run of a session, or
// several whose events somebody merged.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "base/progress.h"
#include "model/profile_builder.h"

namespace opsight::importer::tftimeline {

struct TimelineFacts {
    uint64_t bytes = 0, events = 0;
};

struct TimelineOptions {
    int64_t rank_hint = -1;  // from the file's name
    Progress* progress = nullptr;
    uint64_t disk_before = 0;  // of the files that came before this one
};

Result<TimelineFacts> import_timeline(PeekedSource& source, const std::string& name,
                                      const TimelineOptions& options, ProfileBuilder& builder);

}  // namespace opsight::importer::tftimeline
