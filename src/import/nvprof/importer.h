// Imports databases that nvprof wrote, of CUDA 7 to 12.
#pragma once

#include <string>

#include "import/nsys/importer.h"

namespace opsight::importer::nvprof {

Result<nsys::ReportFacts> import_database(const std::string& path, const nsys::ReadOptions& options,
                                          ProfileBuilder& builder);

}  // namespace opsight::importer::nvprof
