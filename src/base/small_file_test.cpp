#include "base/small_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/test_files.h"

namespace opsight {
namespace {

using ::testing::HasSubstr;

std::string problem_of(const Result<std::string>& read) {
    return read ? "read " + *read : read.error().message();
}

TEST(SmallFile, IsReadWhole) {
    const testing::TempFolder folder;
    const std::string text = std::string(100'000, 'x') + '\0' + "end", path = folder.write("a", text);
    for (const auto& read : {small_file(path, text.size()), small_regular_file(path, text.size())}) {
        ASSERT_TRUE(read) << read.error().message();
        EXPECT_EQ(*read, text);
    }
    EXPECT_EQ(*small_file(folder.write("empty", ""), 0), "");
}

TEST(SmallFile, WhatIsLongerIsRefusedAndNotReadToItsEnd) {
    const testing::TempFolder folder;
    EXPECT_THAT(problem_of(small_file(folder.write("a", "12345"), 4)), HasSubstr("is larger than 4 bytes"));
    EXPECT_THAT(problem_of(small_file("/dev/zero", 1000)), HasSubstr("is larger than 1000 bytes"));
}

TEST(SmallFile, WhatIsFoundIsARegularFile) {
    const testing::TempFolder folder;
    const std::string pipe = folder.path() + "/pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& path : {pipe, std::string("/dev/zero"), folder.path()})
        EXPECT_THAT(problem_of(small_regular_file(path, 1000)), HasSubstr("is not a regular file"));
    EXPECT_THAT(problem_of(small_regular_file(folder.path() + "/none", 1)), HasSubstr("cannot be opened"));
}

TEST(SmallFile, WhatIsNamedMayBeAPipe) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], "text", 4), 4);
    ::close(ends[1]);
    EXPECT_EQ(problem_of(small_file("/proc/self/fd/" + std::to_string(ends[0]), 1000)), "read text");
    ::close(ends[0]);
}

}  // namespace
}  // namespace opsight
