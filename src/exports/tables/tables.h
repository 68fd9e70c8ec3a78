#pragma once

#include "exports/format/format.h"

namespace opsight::exports {

// Every table of docs/SCHEMA.md as a file of its own.
Format csv_format();
Format parquet_format();

}  // namespace opsight::exports
