// Runs `nsys export` on a report.
#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"

namespace opsight::importer::nsys {

Status export_report(const std::string& report, const std::string& output, Progress* progress);

}  // namespace opsight::importer::nsys
