#include "base/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace opsight {
namespace {

namespace fs = std::filesystem;

void fill(const std::string& folder) {
    std::ofstream(folder + "/file") << "x";
    fs::create_directories(folder + "/inner/deep");
    std::ofstream(folder + "/inner/deep/file") << "x";
}

TEST(TemporaryFolder, GoesAtTheEndOfItsLife) {
    std::string path;
    {
        Result<TemporaryFolder> folder = TemporaryFolder::create();
        ASSERT_TRUE(folder.has_value());
        const TemporaryFolder moved = std::move(*folder);
        path = moved.path();
        fill(path);
        EXPECT_TRUE(fs::exists(path + "/inner/deep/file"));
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, GoesWhereASignalEndsTheProcess) {
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGXCPU}) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const Result<TemporaryFolder> folder = TemporaryFolder::create();
            if (!folder) ::_exit(3);
            fill(folder->path());
            if (::write(ends[1], folder->path().data(), folder->path().size()) < 0) ::_exit(4);
            std::raise(signal);
            ::_exit(5);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ::close(ends[1]);
        char path[512] = {};
        EXPECT_GT(::read(ends[0], path, sizeof path - 1), 0);
        ::close(ends[0]);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
        EXPECT_TRUE(std::string(path).starts_with(fs::temp_directory_path().string())) << path;
        EXPECT_FALSE(fs::exists(path)) << path;
    }
}

}  // namespace
}  // namespace opsight
