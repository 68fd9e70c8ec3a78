// The embedded store: a folder of Parquet files that DuckDB queries, without a server. layout.h says where
// what is.
#pragma once

#include <memory>
#include <string>

#include "fleet/store/store.h"

namespace opsight::fleet::parquet {

// A folder that is a store. To push: a new one, or an empty folder that becomes one.
Result<std::unique_ptr<Store>> open_folder(const std::string& path, bool to_push);

// Whether the folder is a store, by its mark.
bool is_store(const std::string& path);

}  // namespace opsight::fleet::parquet
