#include "collect/launch/still_running.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace opsight::collect {
namespace {

// A process that becomes one program after the other: a good part of its life is the start of one.
constexpr char kAgain[] = R"(i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; exec /bin/sh -c "$0" "$0")";

class Restarting {
  public:
    Restarting() : pid_(fork()) {
        if (pid_ != 0) return;
        setenv("OPSIGHT_CAPTURE_DIR", "of-no-other-run", 1);
        execl("/bin/sh", "sh", "-c", kAgain, kAgain, nullptr);
        _exit(1);
    }
    Restarting(const Restarting&) = delete;
    Restarting& operator=(const Restarting&) = delete;
    ~Restarting() { end(); }
    void end() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        pid_ = -1;
    }

  private:
    pid_t pid_;
};

TEST(StillRunning, ProcessesThatAreStartingAreSeen) {
    Restarting process;
    usleep(50'000);
    for (int i = 0; i < 20; ++i)
        ASSERT_EQ(still_running("of-no-other-run", {}, std::chrono::milliseconds(100)), 1u) << i;
    process.end();
    EXPECT_EQ(still_running("of-no-other-run", {}, std::chrono::milliseconds(500)), 0u);
}

}  // namespace
}  // namespace opsight::collect
