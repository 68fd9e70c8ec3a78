// Imports databases of rocprofv3 ("rocpd"): SQLite, the default output of ROCm 7.
//
// The names of tables end with an id of the process that wrote them ("rocpd_string_0198..."), a merged
// database has those of several; each process is a rank. Times, threads, queues and streams stand in the rows
// themselves, or in tables of their own (rocpd_timestamp, rocpd_track), by the age of the writer.
#pragma once

#include "import/nsys/importer.h"

namespace opsight::importer::rocprof {

Result<nsys::ReportFacts> import_rocpd(const std::string& path, const nsys::ReadOptions& options,
                                       ProfileBuilder& builder);

}  // namespace opsight::importer::rocprof
