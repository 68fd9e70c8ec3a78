// The runs in force in a folder, as their manifests name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/parquet/manifest.h"

namespace opsight::fleet::parquet {

// Of all runs, or of one; by their ids. A manifest that cannot be read is an error that names it. Cost: a
// read of each manifest.
Result<std::vector<Manifest>> read_catalog(const std::string& root, const std::optional<std::string>& run);

// The statement that makes a view of a table's rows of these runs, by the table's name. Fails where a file is
// missing or has another size than its manifest says.
Result<std::string> view_of(const Table& table, const std::string& root, const std::vector<Manifest>& runs);

}  // namespace opsight::fleet::parquet
