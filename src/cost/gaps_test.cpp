// What is not known is said, and never a zero.
#include <gmock/gmock.h>

#include "cost/test_network.h"

namespace opsight::cost {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TensorId unknown(Maker& maker, TensorId id) {
    maker.graph.tensors[static_cast<size_t>(id)].shape_known = false;
    maker.graph.tensors[static_cast<size_t>(id)].shape.clear();
    return id;
}

TEST(Gaps, AConvolutionCountsByItsOutputAndWeights) {
    Maker maker;
    const TensorId x = maker.input({1, 16, 8, 8});
    const TensorId odd = unknown(maker, maker.node("Mystery", {x}, {1, 16, 8, 8}));
    const Estimate cost =
        estimate(maker.done(maker.node("Conv", {odd, maker.weight({32, 16, 3, 3})}, {1, 32, 8, 8})));
    ASSERT_EQ(cost.layers.size(), 2U);
    EXPECT_EQ(cost.layers[1].macs(), 32.0 * 64 * 16 * 9);
    EXPECT_FALSE(cost.layers[1].bytes_known);
    EXPECT_FALSE(cost.complete());

    Maker turned;
    const TensorId y = turned.input({1, 16, 8, 8});
    const TensorId out =
        unknown(turned, turned.node("ConvTranspose", {y, turned.weight({16, 8, 2, 2})}, {1, 8, 16, 16}));
    EXPECT_EQ(estimate(turned.done(out)).total.macs(), 16.0 * 64 * 8 * 4);
}

TEST(Gaps, AnOpThatIsNotCountedMakesTheSumsLowerBounds) {
    Maker maker;
    const TensorId x = maker.input({1, 8});
    EXPECT_FALSE(estimate(maker.done(maker.node("Mystery", {x}, {1, 8}))).complete());
    Maker whole;
    EXPECT_TRUE(estimate(whole.done(whole.node("Relu", {whole.input({1, 8})}, {1, 8}))).complete());
}

// A bound of the few ops that are counted says nothing of the network.
TEST(Gaps, WhereMostIsUnknownThereIsNoBound) {
    for (const int unknown_ops : {1, 3}) {
        Maker maker;
        TensorId x = maker.node("Relu", {maker.input({1, 8})}, {1, 8});
        for (int i = 0; i < unknown_ops; ++i)
            x = maker.node("Mystery", {x}, {1, 8});
        Settings settings = unfused();
        settings.device = device("v100-sxm2");
        const Estimate cost = estimate(maker.done(x), settings);
        EXPECT_EQ(cost.total.bound_s > 0, unknown_ops == 1);
        EXPECT_EQ(cost.throughput() > 0, unknown_ops == 1);
    }
}

TEST(Gaps, DevicesWithoutUnitsForSparsityAreNamed) {
    for (const auto& [key, units] : {std::pair("v100-sxm2", false), std::pair("a100-40", true)}) {
        Maker maker;
        Settings settings;
        settings.device = device(key);
        settings.sparse = true;
        const Estimate cost = estimate(
            maker.done(maker.node("MatMul", {maker.input({1, 64}), maker.weight({64, 64})}, {1, 64})),
            settings);
        if (units)
            EXPECT_THAT(cost.notes, Not(Contains(HasSubstr("no units for 2:4 sparsity"))));
        else
            EXPECT_THAT(cost.notes, Contains(HasSubstr("no units for 2:4 sparsity")));
    }
}

TEST(Parameters, AreWhatIsLearned) {
    Maker norm;  // running mean and variance are measured
    const TensorId x = norm.input({2, 64, 8, 8});
    const Estimate folded = estimate(norm.done(norm.node(
        "BatchNormalization", {x, norm.weight({64}), norm.weight({64}), norm.weight({64}), norm.weight({64})},
        {2, 64, 8, 8})));
    EXPECT_EQ(folded.total.parameters, 128);
    EXPECT_EQ(folded.memory.weights, 4 * 64 * 4) << "but stored";

    Maker packed;  // two to a byte, with scales and zero points for each block of 32
    const TensorId in = packed.input({1, 4096}, ElementType::kFloat16);
    const TensorId weights = packed.weight({11008, 128, 16}, ElementType::kUint8);
    const TensorId out = packed.node("MatMulNBits",
                                     {in, weights, packed.weight({11008 * 128}, ElementType::kFloat16),
                                      packed.weight({11008 * 64}, ElementType::kUint8)},
                                     {1, 11008}, {{"K", int64_t{4096}}, {"N", int64_t{11008}}});
    const Estimate narrow = estimate(packed.done(out));
    EXPECT_EQ(narrow.total.parameters, 4096.0 * 11008);
    EXPECT_EQ(narrow.layers[0].weight_bytes, 11008.0 * 128 * 16 + 11008 * 128 * 2 + 11008 * 64);
}

TEST(Memory, WhatDoesNotFitTheDeviceIsSaid) {
    Maker maker;
    const TensorId x = maker.input({1, 65536}, ElementType::kFloat16);
    const ModelGraph& graph = maker.done(
        maker.node("MatMul", {x, maker.weight({65536, 262144}, ElementType::kFloat16)}, {1, 262144}));
    Settings settings;
    settings.device = device("l4");
    EXPECT_THAT(estimate(graph, settings).notes,
                Contains(HasSubstr("does not fit: 34.4 GB of memory with the ops in the file's order")));
    settings.device = device("a100-80");
    EXPECT_THAT(estimate(graph, settings).notes, Not(Contains(HasSubstr("does not fit"))));
}

}  // namespace
}  // namespace opsight::cost
