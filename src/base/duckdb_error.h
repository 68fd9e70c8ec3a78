// What DuckDB says of a failure, as an Error.
#pragma once

#include "base/result.h"

namespace opsight::duck {

Error duckdb_error(const char* text);

}  // namespace opsight::duck
