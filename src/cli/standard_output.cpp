#include "cli/standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/terminal_text.h"

namespace opsight::cli {
namespace {

Status not_written(int problem) {
    return fail(fmt::format("the output could not be written: {}",
                            problem == 0 ? "a write failed" : std::strerror(problem)),
                "standard output", {}, "what was written so far is not all of it");
}

}  // namespace

Status print_text(std::string_view text) {
    static const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    const std::string clean = terminal ? terminal_text(text) : std::string();
    if (terminal) text = clean;
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) return not_written(errno);
    return {};
}

void print_note(std::string_view text) {
    const std::string clean = terminal_text(text);
    std::fwrite(clean.data(), 1, clean.size(), stderr);
}

Status finish_output() {
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return not_written(errno);
    return {};
}

}  // namespace opsight::cli
