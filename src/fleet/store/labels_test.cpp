#include "fleet/store/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opsight::fleet {
namespace {

TEST(Labels, AreSortedAndEachIsThereOnce) {
    const auto labels = parse_labels({"team=vision", "model=gpt=4", "team=vision"});
    ASSERT_TRUE(labels);
    EXPECT_THAT(*labels,
                ::testing::ElementsAre(::testing::Pair("model", "gpt=4"), ::testing::Pair("team", "vision")));
}

TEST(Labels, WhatIsNoneIsRefused) {
    for (const char* text : {"model", "=gpt", "model=", "mo del=x", "a;b=x", "m=\x01", "m=\xff"}) {
        const auto labels = parse_labels({text});
        ASSERT_FALSE(labels) << text;
        EXPECT_EQ(labels.error().exit_code, 2);
    }
    EXPECT_FALSE(parse_labels({std::string(65, 'a') + "=x"}));
    EXPECT_TRUE(parse_labels({std::string(64, 'a') + "=" + std::string(256, 'b')}));
    EXPECT_FALSE(parse_labels({"a=" + std::string(257, 'b')}));
}

TEST(Labels, TwoValuesOfOneNameAreAnError) {
    const auto labels = parse_labels({"a=1", "a=2"});
    ASSERT_FALSE(labels);
    EXPECT_THAT(labels.error().what, ::testing::HasSubstr("also given as '1'"));
}

}  // namespace
}  // namespace opsight::fleet
