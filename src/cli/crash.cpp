#include "cli/crash.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

namespace opsight::cli {
namespace {

// Only what a signal handler may call.
void last_words(int) {
    constexpr std::string_view words =
        "opsight: crashed while it read its input: the file may be damaged. Import the trace again; if that "
        "does not "
        "help, please report it with the command (docs/SECURITY.md)\n";
    if (::write(STDERR_FILENO, words.data(), words.size()) < 0) ::_exit(1);
    ::_exit(1);
}

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

}  // namespace

void explain_crashes() {
    static std::array<char, 64 * 1024> stack;  // the other one may be full
    stack_t other{};
    other.ss_sp = stack.data();
    other.ss_size = stack.size();
    ::sigaltstack(&other, nullptr);
    for (const int signal : kCrashes) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
        struct sigaction action {};
        action.sa_handler = &last_words;
        action.sa_flags = SA_ONSTACK;
        ::sigaction(signal, &action, nullptr);
    }
}

void leave_crashes_unexplained() {
    for (const int signal : kCrashes) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == &last_words)
            ::signal(signal, SIG_DFL);
    }
}

}  // namespace opsight::cli
