#include "cli/suggest.h"

#include <gtest/gtest.h>

namespace opsight::cli {
namespace {

const std::vector<std::string> kWords = {"import", "report", "info", "sql", "profile"};

TEST(ClosestWord, FindsATypo) {
    EXPECT_EQ(closest_word("reprot", kWords), "report");
    EXPECT_EQ(closest_word("imp", kWords), "");
    EXPECT_EQ(closest_word("imprt", kWords), "import");
}

TEST(ClosestWord, SaysNothingForAStranger) {
    EXPECT_EQ(closest_word("zzzzzz", kWords), "");
    EXPECT_EQ(closest_word("", kWords), "");
}

}  // namespace
}  // namespace opsight::cli
