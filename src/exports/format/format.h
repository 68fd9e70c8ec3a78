// A format that `opsight export` writes, and what is asked of it. One file or folder of this room makes each
// format; registry/all_formats.cpp lists them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace opsight::exports {

// What of the run is wanted: all of it unless told. A range of iterations takes the work that counts for
// them.
struct Scope {
    std::optional<int64_t> rank, start, stop;
};

struct Job {
    std::string profile;
    Scope scope;
    std::string output;  // "-": standard output
    bool replace = false;
    bool partitioned = false;                       // by run and rank, where the format has partitions
    std::function<Status(std::string_view)> print;  // takes what goes to standard output
};

struct Format {
    std::string_view name;
    std::string_view ending;  // of the output's name: ".pftrace"
    std::string_view description;
    bool folder = false;  // several files, in a folder
    bool text = false;    // may go to standard output
    // Writes it; what was written, for people: "1200 spans, 40 launches".
    Result<std::string> (*write)(const Job& job);
    bool partitions = false;  // knows Job::partitioned
};

}  // namespace opsight::exports
