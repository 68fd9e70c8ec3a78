// Which files of rocprof are of one run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/rocprofcsv/columns.h"

namespace opsight::importer::rocprofcsv {

// By the first line of a text.
Table table_of(std::string_view first_bytes);

// What the names of a run's files share: "out/7_" of "out/7_kernel_trace.csv", "out/7_agent_info.csv" and
// "out/7_results.db". A file that is named otherwise is a run of its own.
std::string run_of(std::string_view path);

// "kernel_trace" of "out/7_kernel_trace.csv".
std::string name_of_table(std::string_view path);

}  // namespace opsight::importer::rocprofcsv
