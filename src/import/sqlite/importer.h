// SQLite files: which of the readers one is for, by its tables.
#pragma once

#include <string>

#include "import/nsys/importer.h"

namespace opsight {

enum class SqliteKind { kNsys, kNvprof, kDlprof, kOther };
Result<SqliteKind> sqlite_kind(const std::string& path);

// Exports of Nsight Systems and databases of DLProf, which stood on them; any other is an error that names
// it.
Result<nsys::ReportFacts> import_sqlite(const std::string& path, const nsys::ReadOptions& options,
                                        ProfileBuilder& builder);

}  // namespace opsight
