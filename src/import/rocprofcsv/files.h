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

// A program that rocprofv3 runs once for each group of counters ("-i FILE" of several) has a folder for each
// of these passes: "out/pass_2/7_" is of the program "out/", pass 2, run "7_". Pass -1: it is of none.
struct PassOfRun {
    std::string program, run;
    int64_t pass = -1;
};
PassOfRun pass_of(std::string_view run);

// "kernel_trace" of "out/7_kernel_trace.csv".
std::string name_of_table(std::string_view path);

}  // namespace opsight::importer::rocprofcsv
