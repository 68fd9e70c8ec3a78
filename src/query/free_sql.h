// A statement of the user's own over a profile.
#pragma once

#include "db/reader.h"
#include "query/result_table.h"

namespace opsight {

// The profile is opened for reading only, and the statement reaches no other file.
Result<ResultTable> run_sql(const std::string& path, const std::string& sql);

}  // namespace opsight
