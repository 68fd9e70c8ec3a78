#include "cli/kept_when_stopped.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/left_behind.h"
#include "base/signals.h"

namespace opsight::cli {
namespace {

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

char g_line[8192];
size_t g_length = 0;

void stop(int number) {
    [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, g_line, g_length);
    remove_left_behind();
    _exit(128 + number);
}

}  // namespace

KeptWhenStopped::KeptWhenStopped(const std::string& folder, const std::string& output) {
    const std::string line =
        fmt::format("opsight: stopped; the recording is kept: opsight import {} -o {}\n", folder, output);
    g_length = std::min(line.size(), sizeof g_line);
    std::memcpy(g_line, line.data(), g_length);
    for (const int signal : kStops)
        if (!is_ignored(signal)) std::signal(signal, &stop);
}

KeptWhenStopped::~KeptWhenStopped() {
    for (const int signal : kStops)
        if (!is_ignored(signal)) std::signal(signal, SIG_DFL);
}

}  // namespace opsight::cli
