// The manifest of a run: which push of it is in force, and which files that has. It is read from a folder of
// anybody.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/store/store.h"

namespace opsight::fleet::parquet {

struct ManifestFile {
    Part part;
    int64_t bytes = 0;
};

struct Manifest {
    PushId id;
    std::vector<ManifestFile> files;

    std::string text() const;
};

// Fails with the name of the file and what is wrong with it; `run` is the one that its name says.
Result<Manifest> read_manifest(const std::string& path, const std::string& run);
// Whether there is one; a run without a push that is in force has none.
bool has_manifest(const std::string& path);

// A small file of a store as text: at most `most` bytes, a regular file.
Result<std::string> read_small_file(const std::string& path, int64_t most);

}  // namespace opsight::fleet::parquet
