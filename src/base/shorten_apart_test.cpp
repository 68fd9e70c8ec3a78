#include "base/shorten_apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opsight {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> shortened(const std::vector<std::string>& texts) {
    return shorten_apart(
        texts, [](const std::string& text) { return text.substr(0, 4); },
        [](const std::string& text, size_t place) { return text.substr(0, 2) + text.substr(place, 2); });
}

TEST(ShortenApart, TextsThatDifferLookDifferent) {
    EXPECT_THAT(shortened({"abcd", "abcde1", "abcde2", "other"}), ElementsAre("abcd", "ab1", "ab2", "othe"));
    // The first difference parts one from two, a second one these.
    EXPECT_THAT(shortened({"abcdXxxx1", "abcdYyyy1", "abcdYyyy2"}), ElementsAre("abXx", "ab1", "ab2"));
}

TEST(ShortenApart, EqualOnesStayEqual) {
    EXPECT_THAT(shortened({"abcdef", "abcdef"}), ElementsAre("abcd", "abcd"));
    EXPECT_THAT(shortened({}), ElementsAre());
}

}  // namespace
}  // namespace opsight
