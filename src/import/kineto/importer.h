// Imports one trace (one rank) from a stream of JSON into a ProfileBuilder.
//
// Worker threads take turns: one cuts the next window off the source, all parse their windows, one adds the
// finished batches in order. Memory beyond the profile: a window and a batch for each worker.
#pragma once

#include <string>

#include "base/byte_source.h"
#include "base/progress.h"
#include "model/profile_builder.h"

namespace opsight::importer::kineto {

struct TraceOptions {
    size_t threads = 1;
    Progress* progress = nullptr;
    uint64_t disk_bytes = 0;   // of all files of this import; 0: not known
    uint64_t disk_before = 0;  // of the files that came before this one
    int64_t rank_hint = -1;    // from the file's name
    bool is_made = false;      // of another format as it is read: bytes of the text are no places of the file
};

struct TraceFacts {
    uint64_t bytes = 0;  // uncompressed
    uint64_t events = 0;
};

Result<TraceFacts> import_trace(ByteSource& source, const std::string& name, const TraceOptions& options,
                                ProfileBuilder& builder);

}  // namespace opsight::importer::kineto
