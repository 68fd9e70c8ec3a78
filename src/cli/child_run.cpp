#include "cli/child_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/signals.h"

namespace opsight::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kGraceS = 10;
constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t waited_for() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kStops)
        if (!is_ignored(signal)) sigaddset(&set, signal);  // one that is blocked would come all the same
    sigaddset(&set, SIGCHLD);
    return set;
}

[[noreturn]] void become(char* const* words, int output, int report) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::signal(SIGXFSZ, SIG_DFL);  // which Opsight ignores for itself
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(words[0], words);
    const int problem = errno;
    [[maybe_unused]] const ssize_t told = write(report, &problem, sizeof problem);
    _exit(127);
}

// One signal of those that we wait for, at most so long.
int next_signal(double seconds) {
    const sigset_t set = waited_for();
    timespec wait{};
    wait.tv_sec = static_cast<time_t>(seconds);
    wait.tv_nsec = static_cast<long>((seconds - static_cast<double>(wait.tv_sec)) * 1e9);
    const int signal = sigtimedwait(&set, nullptr, &wait);
    return signal < 0 ? 0 : signal;
}

double elapsed_s(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<ChildEnd> wait_for(pid_t child, double limit_s) {
    const Clock::time_point begin = Clock::now();
    ChildEnd end;
    std::optional<Clock::time_point> asked;  // to end
    int status = 0;
    struct rusage used {};
    while (true) {
        const pid_t found = wait4(child, &status, WNOHANG, &used);
        if (found == child) break;
        if (found < 0 && errno != EINTR)
            return fail(fmt::format("lost the program: {}", std::strerror(errno)));
        const bool late = limit_s > 0 && elapsed_s(begin) > limit_s;
        if (!asked && (late || end.stopped_by)) {
            end.timed_out = late && !end.stopped_by;
            kill(-child, SIGTERM);
            asked = Clock::now();
        } else if (asked && elapsed_s(*asked) > kGraceS) {
            kill(-child, SIGKILL);
        }
        const int signal = next_signal(0.2);  // SIGCHLD may have come before
        if (signal && signal != SIGCHLD && !end.stopped_by) end.stopped_by = signal;
    }
    end.wall_s = elapsed_s(begin);
    kill(-child, SIGTERM);  // what it left behind
    if (used.ru_maxrss > 0) end.rss_bytes = int64_t{used.ru_maxrss} * 1024;
    if (WIFSIGNALED(status)) {
        end.signal = WTERMSIG(status);
        end.exit_code = 128 + end.signal;
    } else {
        end.exit_code = WEXITSTATUS(status);
    }
    return end;
}

}  // namespace

StopSignals::StopSignals() {
    const sigset_t set = waited_for();
    sigprocmask(SIG_BLOCK, &set, nullptr);
}

StopSignals::~StopSignals() {
    const sigset_t set = waited_for();
    while (next_signal(0) != 0) {
    }
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

int StopSignals::stopped() const {
    sigset_t waiting;
    sigpending(&waiting);
    for (const int signal : kStops)
        if (sigismember(&waiting, signal) == 1) return signal;
    return 0;
}

Result<ChildEnd> run_child(const std::vector<std::string>& words, const std::string& output, double limit_s,
                           const StopSignals&) {
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    unlink(output.c_str());  // a new file: a link there, or a pipe, would lead elsewhere
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return fail(fmt::format("cannot be written: {}", std::strerror(errno)), output);
    int report[2];  // carries execvp's errno; closes by itself when the program starts
    if (pipe2(report, O_CLOEXEC) != 0) {
        const int problem = errno;
        close(file);
        return fail(fmt::format("cannot make a pipe: {}", std::strerror(problem)));
    }
    const pid_t child = fork();
    if (child == 0) become(pointers.data(), file, report[1]);
    const int fork_problem = errno;
    close(file);
    close(report[1]);
    int problem = 0;
    const bool failed = child > 0 && read(report[0], &problem, sizeof problem) == sizeof problem;
    close(report[0]);
    if (child < 0) return fail(fmt::format("cannot start a process: {}", std::strerror(fork_problem)));
    setpgid(child, child);
    Result<ChildEnd> end = wait_for(child, limit_s);
    if (failed)
        return fail(Error{.what = problem == ENOENT
                                      ? "command not found"
                                      : fmt::format("cannot be run: {}", std::strerror(problem)),
                          .file = words[0],
                          .remedy = "check the command after --",
                          .exit_code = problem == ENOENT ? 127 : 126});
    return end;
}

}  // namespace opsight::cli
