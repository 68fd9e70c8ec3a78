#include "base/wildcards.h"

#include <gtest/gtest.h>

#include <string>

namespace opsight {
namespace {

TEST(Wildcards, MatchAllOfAText) {
    EXPECT_TRUE(matches_wildcards("*conv*", "cudnn_convolve"));
    EXPECT_TRUE(matches_wildcards("a?c", "abc"));
    EXPECT_TRUE(matches_wildcards("**", ""));
    EXPECT_FALSE(matches_wildcards("conv", "convolve"));
    EXPECT_FALSE(matches_wildcards("*a?", "a"));
    EXPECT_TRUE(matches_wildcards("a*bc", "abcbc"));
    EXPECT_FALSE(matches_wildcards("b*", "ab"));
    EXPECT_FALSE(matches_wildcards("?", ""));
    EXPECT_FALSE(matches_wildcards("*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace opsight
