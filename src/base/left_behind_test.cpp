#include "base/left_behind.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/temporary_folder.h"

namespace opsight {
namespace {

// A program that is told to end before it is known that it runs: Ctrl-C just when it was started.
TEST(ChildProgram, ASignalWhileItStartsEndsItToo) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const Result<TemporaryFolder> folder = TemporaryFolder::create();
        posix_spawn_file_actions_t holding;
        posix_spawn_file_actions_init(&holding);
        posix_spawn_file_actions_adddup2(&holding, ends[1], 1);
        ChildProgram guard;
        posix_spawnattr_t of_its_own;
        posix_spawnattr_init(&of_its_own);
        posix_spawnattr_setflags(&of_its_own, POSIX_SPAWN_SETPGROUP);
        char name[] = "/bin/sleep", seconds[] = "60";
        char* words[] = {name, seconds, nullptr};
        pid_t program = 0;
        if (posix_spawn(&program, name, &holding, &of_its_own, words, environ) != 0) ::_exit(4);
        std::raise(SIGINT);
        guard.began(program);
        ::_exit(5);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
    ::close(ends[1]);
    // The program holds the pipe's other end: it reads as ended once both are gone.
    char byte;
    pollfd end{ends[0], POLLIN, 0};
    EXPECT_EQ(::poll(&end, 1, 10'000), 1);
    EXPECT_EQ(::read(ends[0], &byte, 1), 0);
    ::close(ends[0]);
}

}  // namespace
}  // namespace opsight
