// One subcommand of `opsight`: declares its flags and help, then runs. One file per subcommand; main.cpp
// lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "base/result.h"

namespace opsight::cli {

// A number of an iteration: the parser's own check would print the largest double.
inline CLI::Validator iteration_number() {
    return {[](const std::string& text) {
                return text.starts_with('-') ? "must be 0 or more, not " + text : std::string();
            },
            ""};
}

class Command {
  public:
    virtual ~Command() = default;
    // Adds the subcommand with its options and examples to `app`, and returns it.
    virtual CLI::App* declare(CLI::App& app) = 0;
    // Does the work; the value is the exit code (not 0 only where a profiled program's own code passes
    // through).
    virtual Result<int> run() = 0;
};

// Every subcommand, in the order of the help text.
std::vector<std::unique_ptr<Command>> make_commands();

}  // namespace opsight::cli
