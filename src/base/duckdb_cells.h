// Cells of DuckDB's answers: for duckdb.cpp only, as this header brings duckdb.h.
#pragma once

#include <duckdb.h>

#include <vector>

#include "base/duckdb.h"
#include "base/sql.h"

namespace opsight::duck {

// What a column of a result becomes; kVarchar for text, and for what must be cast to text first.
Type cell_type(duckdb_type type);

bool readable(duckdb_type type);  // whether append_chunk() takes columns of it

// Appends the chunk's rows; the chunk's columns are of these types, all readable.
void append_chunk(std::vector<std::vector<Cell>>& rows, const std::vector<duckdb_type>& types,
                  duckdb_data_chunk chunk);

}  // namespace opsight::duck
