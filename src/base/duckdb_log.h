// The log that DuckDB keeps beside a database: what was committed and is not in the file yet. It is read with
// the file, and as little to be trusted.
#pragma once

#include <string>

#include "base/result.h"

namespace opsight::duck {

// Its path. An absolute path of the database is expected.
std::string log_beside(const std::string& path);

// Fails where something else than a regular file has its name: DuckDB would wait at a pipe for ever, and
// overwrite what a link leads to.
Status check_log(const std::string& path);

}  // namespace opsight::duck
