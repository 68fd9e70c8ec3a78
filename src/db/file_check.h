// A profile file may come from anybody: what it holds is looked at before it is used. Data alone may be in
// it: the tables and views of the schema, and values that belong together.
#pragma once

#include <string>

#include "base/duckdb.h"

namespace opsight::db {

// Whether the attached file has the table in its schema raw.
Result<bool> has_table(duck::Connection& connection, const std::string& name);

// That the file brings nothing that could run, or stand in for something of DuckDB's: no functions, types,
// indexes, other schemas. Views are looked at only where they are `known`: those of this schema version.
Status check_objects(duck::Connection& connection);
Status check_views(duck::Connection& connection);

// That its tables have the columns of the schema. `whole`: all of them; else some at the end may be missing,
// as in a file of an older version.
Status check_tables(duck::Connection& connection, bool whole);

// That no value is missing, and that numbers, times and what refers to other tables lie within what there is.
// Takes one pass over some columns; most of it is answered from statistics that the file keeps.
Status check_values(duck::Connection& connection);

}  // namespace opsight::db
