#include "server/supervisor.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>

namespace opsight::server {
namespace {

constexpr int kHandedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
constexpr int kOthersSend[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM};

// Signals wait for wait_for(), from now on and as long as this is there.
class Held {
  public:
    Held() {
        ::sigemptyset(&held_);
        for (const int signal : kHandedOn)
            ::sigaddset(&held_, signal);
        for (const int signal : {SIGCHLD, SIGTSTP})
            ::sigaddset(&held_, signal);
        ::signal(SIGCHLD,
                 SIG_DFL);  // whoever started us may have had it ignored: no child would be waited for
        ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
    }
    Held(const Held&) = delete;
    ~Held() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    // How the child ended, as waitpid() says it.
    int wait_for(pid_t child) const {
        for (;;) {
            int status = 0;
            if (::waitpid(child, &status, WNOHANG) == child) return status;
            const int signal = ::sigwaitinfo(&held_, nullptr);
            if (signal == SIGTSTP) {
                ::kill(child, SIGSTOP);
                ::raise(SIGSTOP);
                ::kill(child, SIGCONT);
            } else if (signal > 0 && signal != SIGCHLD) {
                ::kill(child, signal);
            }
        }
    }

  private:
    sigset_t held_{}, before_{};
};

// In a group of its own: what the terminal sends comes once, from us. It does not outlive us.
bool begin_child(pid_t parent) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return ::getppid() == parent;
}

}  // namespace

std::optional<int> supervise(const std::function<bool(int signal)>& on_crash) {
    const pid_t parent = ::getpid();
    int signal = 0;
    {
        const Held held;
        do {
            const pid_t child = ::fork();
            if (child < 0) return std::nullopt;  // then in this one
            if (child == 0) {
                if (!begin_child(parent)) ::_exit(1);
                return std::nullopt;
            }
            ::setpgid(child, child);
            const int status = held.wait_for(child);
            if (WIFEXITED(status)) return WEXITSTATUS(status);
            signal = WTERMSIG(status);
            if (std::find(std::begin(kOthersSend), std::end(kOthersSend), signal) != std::end(kOthersSend))
                break;
            if (!on_crash(signal)) return 1;
        } while (true);
    }
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return 128 + signal;
}

}  // namespace opsight::server
