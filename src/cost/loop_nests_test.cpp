#include "cost/loop_nests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/test_network.h"

namespace opsight::cost {
namespace {

using ::testing::HasSubstr;
using Sizes = std::vector<int64_t>;

OpLoopNests nests_of(Maker& maker, TensorId out) {
    const ModelGraph& graph = maker.done(out);
    return loop_nests(graph, graph.nodes.back());
}

TEST(LoopNests, ConvolutionsWithStrideDilationAndGroups) {
    Maker maker;
    const TensorId x = maker.input({2, 8, 33, 41});
    const TensorId y =
        maker.node("Conv", {x, maker.weight({12, 4, 3, 5})}, {2, 12, 15, 9},
                   {{"strides", Sizes{2, 4}}, {"dilations", Sizes{2, 1}}, {"group", int64_t{2}}});
    const OpLoopNests out = nests_of(maker, y);
    ASSERT_EQ(out.nests.size(), 1U) << out.reason;
    const LoopNest wanted{.g = 2,
                          .n = 2,
                          .k = 6,
                          .c = 4,
                          .p = 15,
                          .q = 9,
                          .r = 3,
                          .s = 5,
                          .stride_p = 2,
                          .stride_q = 4,
                          .dilation_r = 2,
                          .dilation_s = 1};
    EXPECT_EQ(out.nests[0], wanted);
    EXPECT_EQ(out.nests[0].macs(), 2.0 * 2 * 6 * 4 * 15 * 9 * 3 * 5);
}

TEST(LoopNests, ADepthwiseConvolutionHasAGroupForEachChannel) {
    Maker maker;
    const TensorId y =
        maker.node("Conv", {maker.input({1, 32, 16, 16}), maker.weight({32, 1, 3, 3})}, {1, 32, 14, 14});
    const OpLoopNests out = nests_of(maker, y);
    ASSERT_EQ(out.nests.size(), 1U) << out.reason;
    EXPECT_EQ(out.nests[0].g, 32);
    EXPECT_EQ(out.nests[0].k, 1);
    EXPECT_EQ(out.nests[0].c, 1);
}

TEST(LoopNests, ChannelsLastAsTensorFlowHasThem) {
    Maker maker;
    const TensorId y =
        maker.node("Conv", {maker.input({1, 32, 32, 16}), maker.weight({3, 3, 16, 24})}, {1, 16, 16, 24},
                   {{"strides", Sizes{1, 2, 2, 1}},
                    {"output_channels", int64_t{24}},
                    {"data_format", std::string("NHWC")}});
    const OpLoopNests out = nests_of(maker, y);
    ASSERT_EQ(out.nests.size(), 1U) << out.reason;
    const LoopNest wanted{.k = 24, .c = 16, .p = 16, .q = 16, .r = 3, .s = 3, .stride_p = 2, .stride_q = 2};
    EXPECT_EQ(out.nests[0], wanted);
}

TEST(LoopNests, ProductsOfMatrices) {
    Maker weights;
    const OpLoopNests linear = nests_of(
        weights,
        weights.node("MatMul", {weights.input({8, 128, 768}), weights.weight({768, 3072})}, {8, 128, 3072}));
    ASSERT_EQ(linear.nests.size(), 1U) << linear.reason;
    EXPECT_EQ(linear.nests[0], (LoopNest{.k = 3072, .c = 768, .q = 1024}));
    Maker both;
    const OpLoopNests batched = nests_of(
        both,
        both.node("MatMul", {both.input({2, 12, 128, 64}), both.input({2, 12, 64, 96})}, {2, 12, 128, 96}));
    ASSERT_EQ(batched.nests.size(), 1U) << batched.reason;
    EXPECT_EQ(batched.nests[0], (LoopNest{.g = 24, .k = 96, .c = 64, .q = 128}));
    Maker stretched;
    EXPECT_THAT(nests_of(stretched,
                         stretched.node("MatMul", {stretched.input({128, 64}), stretched.input({5, 64, 96})},
                                        {5, 128, 96}))
                    .reason,
                HasSubstr("stretched"));
}

TEST(LoopNests, AttentionIsItsTwoProducts) {
    Maker maker;
    const TensorId q = maker.input({2, 8, 100, 64});
    const TensorId y = maker.node(
        "Attention", {q, maker.input({2, 8, 120, 64}), maker.input({2, 8, 120, 32})}, {2, 8, 100, 32});
    const OpLoopNests out = nests_of(maker, y);
    ASSERT_EQ(out.nests.size(), 2U) << out.reason;
    EXPECT_EQ(out.nests[0], (LoopNest{.part = "scores", .g = 16, .k = 120, .c = 64, .q = 100}));
    EXPECT_EQ(out.nests[1], (LoopNest{.part = "values", .g = 16, .k = 32, .c = 120, .q = 100}));
}

TEST(LoopNests, WhatIsNoneSaysWhy) {
    Maker maker;
    const TensorId y = maker.node("ConvTranspose", {maker.input({1, 4, 8, 8}), maker.weight({4, 2, 2, 2})},
                                  {1, 2, 16, 16}, {{"strides", Sizes{2, 2}}});
    EXPECT_THAT(nests_of(maker, y).reason, HasSubstr("ConvTranspose"));
    Maker cube;
    const TensorId z =
        cube.node("Conv", {cube.input({1, 4, 8, 8, 8}), cube.weight({4, 4, 3, 3, 3})}, {1, 4, 6, 6, 6});
    EXPECT_THAT(nests_of(cube, z).reason, HasSubstr("three axes"));
}

}  // namespace
}  // namespace opsight::cost
