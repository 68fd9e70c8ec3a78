// Reads databases of DLProf, the profiler for deep learning that NVIDIA ended with version 1.8. See
// database.h.
#pragma once

#include <string>

#include "import/nsys/importer.h"

namespace opsight::importer::dlprof {

// A version that Opsight does not know is an error that says so.
Result<nsys::ReportFacts> import_database(const std::string& path, const nsys::ReadOptions& options,
                                          ProfileBuilder& builder);

}  // namespace opsight::importer::dlprof
