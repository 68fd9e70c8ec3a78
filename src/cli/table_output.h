// What commands that show tables share: how many rows, lists and ranges as options, and where tables are
// written: the console, files named after them, or a command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/stats_format.h"

namespace opsight::cli {

// Rows of a table where nobody chose how many.
inline constexpr int64_t kRowsOnTerminal = 20, kRowsOnPage = 200;

// Lists given by repeating an option, by commas, or both. Commas inside a format's title do not part it.
std::vector<std::string> split_lists(const std::vector<std::string>& given);

// "START/END" in ns; either may be left out. Nothing for an empty text.
Status parse_window(const std::string& text, query::Filter& filter);

struct TableOutput {
    std::string base;  // of file names: what the input is called, without its ending
    bool overwrite = false;

    // `output`: "-" the console, "@command" a command's standard input, "." or a path: a file
    // "<base>_<name>.<ending>". `name` is "cuda_gpu_kern_sum:base"; `text` is complete.
    Status write(const std::string& output, const std::string& name, const report::nsys::Format& format,
                 const std::string& text) const;
    std::string file_name(const std::string& output, const std::string& name,
                          const report::nsys::Format& format) const;
};

}  // namespace opsight::cli
