// Reads traces of profilers into a Profile: all_readers.h has the formats. The format is found by content,
// never by name, but where only a name can tell.
//
// Inputs: files of these formats, each plain, gzipped or in a tar archive, or a directory of any: one rank
// each trace or process. Errors name the file and, where the format is known but not supported, say so.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "import/all_readers.h"
#include "model/profile.h"

namespace opsight::importer {

struct ImportOptions {
    size_t threads = 0;            // 0: as many as the machine has cores, at most 8
    Progress* progress = nullptr;  // told of bytes read from disk
    bool one_run = false;  // the files of one recording: what cannot be read costs its process, not the run
    Readers readers = all_readers();
    // Where set: gets the files in which execution traces of PyTorch were found, in folders and archives,
    // that else were passed over.
    std::vector<std::string>* execution_traces = nullptr;
};

Result<Profile> import_files(const std::vector<std::string>& paths, const ImportOptions& options = {},
                             ImportFacts* facts = nullptr);

}  // namespace opsight::importer
