// Reads traces of profilers into a Profile. The format is found by content, never by name.
//
// Inputs: a PyTorch trace (.json, or gzip of it), a tar archive of them (also gzipped), a report of Nsight
// Systems
// (.sqlite, or .nsys-rep where the nsys program is there), or a directory of any: one rank each trace or
// process. Errors name the file and, where the format is known but not supported, say so.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace opsight {

struct ImportOptions {
    size_t threads = 0;            // 0: as many as the machine has cores, at most 8
    Progress* progress = nullptr;  // told of bytes read from disk
    bool one_run = false;  // the files of one recording: what cannot be read costs its process, not the run
};

struct ImportFacts {
    uint64_t files = 0, bytes = 0, events = 0;  // bytes: uncompressed
};

Result<Profile> import_files(const std::vector<std::string>& paths, const ImportOptions& options = {},
                             ImportFacts* facts = nullptr);

}  // namespace opsight
