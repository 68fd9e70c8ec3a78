#include "base/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/test_files.h"

namespace opsight {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputFileTest : public ::testing::Test {
  protected:
    static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& entry : fs::directory_iterator(folder_.path()))
            out.push_back(entry.path().filename().string());
        std::sort(out.begin(), out.end());
        return out;
    }
    static Status write(const std::string& path, bool replace, std::string_view text) {
        OPSIGHT_ASSIGN(OutputFile file, OutputFile::create(path, replace));
        OPSIGHT_TRY(file.write(text));
        return file.commit();
    }
    std::string error(const std::string& path, bool replace) {
        const Status status = write(path, replace, "new");
        return status ? "written" : status.error().message();
    }
    testing::TempFolder folder_;
    std::string path_ = folder_.path() + "/out.csv";
};

TEST_F(OutputFileTest, IsThereWholeOrNotAtAll) {
    {
        auto file = OutputFile::create(path_, false);
        ASSERT_TRUE(file.has_value()) << file.error().message();
        ASSERT_TRUE(file->write("one").has_value());
        EXPECT_FALSE(fs::exists(path_));
    }
    EXPECT_TRUE(names().empty());
    ASSERT_TRUE(write(path_, false, "two").has_value());
    EXPECT_EQ(content(path_), "two");
    EXPECT_EQ(names(), std::vector<std::string>{"out.csv"});
}

TEST_F(OutputFileTest, WhatIsThereStaysUnlessItMayBeReplaced) {
    folder_.write("out.csv", "old");
    EXPECT_THAT(error(path_, false), HasSubstr("exists already"));
    EXPECT_EQ(content(path_), "old");
    EXPECT_EQ(error(path_, true), "written");
    EXPECT_EQ(content(path_), "new");
}

TEST_F(OutputFileTest, OfTwoWritersTheFirstToEndHasTheName) {
    auto one = OutputFile::create(path_, false), other = OutputFile::create(path_, false);
    ASSERT_TRUE(one->write("one").has_value() && other->write("other").has_value());
    ASSERT_TRUE(one->commit().has_value());
    EXPECT_THAT(other->commit().error().message(), HasSubstr("exists already"));
    EXPECT_EQ(content(path_), "one");
}

TEST_F(OutputFileTest, OnlyRegularFilesAreReplaced) {
    const std::string kept = folder_.write("kept", "kept");
    ASSERT_EQ(::symlink(kept.c_str(), path_.c_str()), 0);
    for (const bool replace : {false, true})
        EXPECT_THAT(error(path_, replace), HasSubstr("a symbolic link"));
    fs::remove(kept);  // now it leads nowhere
    for (const bool replace : {false, true})
        EXPECT_THAT(error(path_, replace), HasSubstr("a symbolic link"));
    EXPECT_FALSE(fs::exists(kept));
    fs::remove(path_);
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_THAT(error(path_, true), HasSubstr("a pipe"));
    EXPECT_THAT(error(folder_.path(), true), HasSubstr("a folder"));
    EXPECT_THAT(error("/dev/null", true), HasSubstr("a device"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_THAT(error(folder_.path() + "/none/out", true), HasSubstr("does not exist"));
    EXPECT_THAT(error(folder_.path() + "/" + std::string(300, 'n'), true), HasSubstr("too long"));
    EXPECT_EQ(error(folder_.path() + "/" + std::string(255, 'n'), true), "written");
}

TEST_F(OutputFileTest, AFullDiskLeavesTheOldFile) {
    folder_.write("out.csv", "old");
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit little{1000, 1000};
        if (::setrlimit(RLIMIT_FSIZE, &little) != 0) ::_exit(3);
        ::_exit(write(path_, true, std::string(5000, 'x')).has_value() ? 4 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(content(path_), "old");
    EXPECT_EQ(names(), std::vector<std::string>{"out.csv"});
}

TEST_F(OutputFileTest, ASignalLeavesNothing) {
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGQUIT, SIGALRM, SIGUSR1, SIGXCPU}) {
        const pid_t child = ::fork();
        if (child == 0) {
            auto file = OutputFile::create(path_, false);
            auto database = OutputFile::reserve(folder_.path() + "/run.opsight", false);
            if (!file || !database || !file->write("half")) ::_exit(3);
            std::ofstream(database->temporary()) << "half";
            std::ofstream(database->temporary() + ".wal") << "half";
            fs::create_directory(database->temporary() + ".tmp");
            std::ofstream(database->temporary() + ".tmp/part") << "half";
            std::raise(signal);
            ::_exit(4);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
        EXPECT_TRUE(names().empty()) << names().front();
    }
}

}  // namespace
}  // namespace opsight
