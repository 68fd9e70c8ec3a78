// Files of rocprofv3's passes over a program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opsight::importer {

// A program that rocprofv3 runs once for each group of counters ("-i FILE" of several) has a folder for each
// of these passes: "out/pass_2/7_" is of the program "out/", pass 2, run "7_". Pass -1: it is of none.
struct PassOfRun {
    std::string program, run;
    int64_t pass = -1;
};
PassOfRun pass_of(std::string_view run);

// Why a file of a further pass is not read beside one of an earlier pass that is among `all`, both being of
// the kind `ending`; empty: it is none.
std::string repeats_pass(std::string_view path, std::span<const std::string> all, std::string_view ending);

}  // namespace opsight::importer
