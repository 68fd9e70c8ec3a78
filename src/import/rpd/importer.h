// Imports traces of rocmProfileData (RPD): SQLite files of its tracer for ROCm, one for all processes of a
// run.
#pragma once

#include "import/nsys/importer.h"

namespace opsight::importer::rpd {

Result<nsys::ReportFacts> import_trace(const std::string& path, const nsys::ReadOptions& options,
                                       ProfileBuilder& builder);

}  // namespace opsight::importer::rpd
