// What runs as one, what costs nothing, and what the network's bound makes of it.
#include <gmock/gmock.h>

#include "cost/test_network.h"

namespace opsight::cost {
namespace {

using hardware::Precision;
using ::testing::HasSubstr;

std::vector<std::string> types_of(const Estimate& cost) {
    std::vector<std::string> types;
    for (const LayerCost& layer : cost.layers)
        types.push_back(layer.op_type);
    return types;
}

struct Encoder {
    static constexpr int64_t kBatch = 4, kHeads = 8, kTokens = 512, kWidth = 64;
    Maker maker;
    TensorId q, k, v;

    Encoder() {
        const Shape row{kBatch, kTokens, kHeads * kWidth};
        const TensorId x = maker.input(row, ElementType::kFloat16);
        for (TensorId* part : {&q, &k, &v}) {
            const TensorId made =
                maker.node("MatMul", {x, maker.weight({row[2], row[2]}, ElementType::kFloat16)}, row);
            const TensorId split = maker.node("Reshape", {made}, {kBatch, kTokens, kHeads, kWidth});
            *part = maker.node("Transpose", {split}, {kBatch, kHeads, kTokens, kWidth});
        }
    }
    // The scores of Q·Kᵀ, scaled and after softmax.
    TensorId probabilities(TensorId scale) {
        const Shape scores{kBatch, kHeads, kTokens, kTokens};
        const TensorId turned = maker.node("Transpose", {k}, {kBatch, kHeads, kWidth, kTokens});
        const TensorId product = maker.node("MatMul", {q, turned}, scores);
        return maker.node("Softmax", {maker.node("Div", {product, scale}, scores)}, scores);
    }
    TensorId summed(TensorId probabilities) {
        const TensorId sums = maker.node("MatMul", {probabilities, v}, {kBatch, kHeads, kTokens, kWidth});
        return maker.node("Transpose", {sums}, {kBatch, kTokens, kHeads, kWidth});
    }
};

TEST(Fusion, AttentionIsOneKernelAndItsScoresNeverMove) {
    Encoder encoder;
    const TensorId scale = encoder.maker.weight({1}, ElementType::kFloat16);
    const ModelGraph& graph = encoder.maker.done(encoder.summed(encoder.probabilities(scale)));
    const Estimate cost = estimate(graph);
    EXPECT_THAT(types_of(cost),
                ::testing::ElementsAre("MatMul", "MatMul", "MatMul", "MatMul+Div+Softmax+MatMul"));
    const double plane = 2.0 * Encoder::kBatch * Encoder::kTokens * Encoder::kHeads * Encoder::kWidth;
    EXPECT_EQ(cost.layers[3].input_bytes, 3 * plane) << "Q, K and V, read where they were made";
    EXPECT_EQ(cost.layers[3].output_bytes, plane);
    EXPECT_EQ(cost.total.flops(), estimate(graph, unfused()).total.flops());
    Settings training;
    training.train = true;
    const double scores = 2.0 * Encoder::kBatch * Encoder::kHeads * Encoder::kTokens * Encoder::kTokens;
    EXPECT_LT(estimate(graph, training).memory.activations, scores) << "nor are they kept";
}

// V's projection may come after the scores in the file; what is made from the scores may not join them.
TEST(Fusion, ReadsWhatWasMadeLaterUnlessItWaitsForTheGroup) {
    Encoder encoder;
    Maker& maker = encoder.maker;
    const Shape scores{Encoder::kBatch, Encoder::kHeads, Encoder::kTokens, Encoder::kTokens};
    const TensorId turned = maker.node("Transpose", {encoder.k}, {4, 8, 64, 512});
    const TensorId product = maker.node("MatMul", {encoder.q, turned}, scores);
    const TensorId late =
        maker.node("MaxPool", {encoder.v}, {4, 8, 512, 64}, {{"kernel_shape", std::vector<int64_t>{1, 1}}});
    const TensorId likely = maker.node("Softmax", {product}, scores);
    const TensorId sums = maker.node("MatMul", {likely, late}, {4, 8, 512, 64});
    const TensorId pooled =
        maker.node("MaxPool", {sums}, {4, 8, 512, 64}, {{"kernel_shape", std::vector<int64_t>{1, 1}}});
    const Estimate cost = estimate(maker.done(maker.node("Add", {sums, pooled}, {4, 8, 512, 64})));
    const std::vector<std::string> types = types_of(cost);
    EXPECT_THAT(types, ::testing::Contains("MatMul+Softmax+MatMul"));
    EXPECT_THAT(types, ::testing::Contains("MaxPool+Add"))
        << "an Add that waits for both goes to the later one";
    EXPECT_EQ(types.back(), "MaxPool+Add") << "groups stand in an order in which they can run";
}

TEST(Fusion, MovedDataIsReadWhereItLies) {
    Maker maker;
    const TensorId x = maker.input({8, 16, 32, 32});
    const TensorId a = maker.node("Conv", {x, maker.weight({16, 16, 1, 1})}, {8, 16, 32, 32});
    const TensorId b = maker.node("Conv", {x, maker.weight({16, 16, 1, 1})}, {8, 16, 32, 32});
    const TensorId both = maker.node("Concat", {a, b}, {8, 32, 32, 32});
    const TensorId half = maker.node("Slice", {both}, {8, 32, 32, 16});
    const TensorId y = maker.node("Conv", {half, maker.weight({8, 32, 1, 1})}, {8, 8, 32, 16});
    const TensorId out = maker.node("Transpose", {y}, {8, 32, 16, 8});
    const Estimate cost = estimate(maker.done(out));
    ASSERT_THAT(types_of(cost), ::testing::ElementsAre("Conv", "Conv", "Conv"));
    const double plane = 8 * 16 * 32 * 32 * 4;
    EXPECT_EQ(cost.layers[2].input_bytes, plane) << "half of both";
    EXPECT_EQ(cost.layers[2].output_bytes, plane / 4);

    Maker alone;  // nothing before it made and nobody after it reads
    const TensorId in = alone.input({8, 16});
    EXPECT_EQ(estimate(alone.done(alone.node("Transpose", {in}, {16, 8}))).total.bytes(), 2 * 8 * 16 * 4);
}

// XLA's: read where it came from, and no weights of its size.
TEST(Fusion, ABroadcastConstantIsReadAsItIsStored) {
    for (const int64_t size : {1, 64}) {
        Maker maker;
        const TensorId x = maker.input({8, 16, 16, 64}),
                       bias = maker.weight(size == 1 ? Shape{} : Shape{size});
        const TensorId wide = maker.node("Broadcast", {bias}, {8, 16, 16, 64});
        const Estimate cost = estimate(maker.done(maker.node("Max", {x, wide}, {8, 16, 16, 64})));
        const int64_t plane = 8 * 16 * 16 * 64;
        EXPECT_EQ(cost.total.parameters, size == 1 ? 0 : size);
        EXPECT_EQ(cost.total.bytes(), 4 * (2 * plane + size));
        EXPECT_EQ(cost.total.flops(), plane);
        EXPECT_EQ(cost.layers.size(), 1U);
    }
}

TEST(Fusion, AnEmbeddingReadsRowsAndNotItsTable) {
    Maker maker;
    const TensorId ids = maker.input({2, 128}, ElementType::kInt64);
    const TensorId table = maker.weight({30000, 64});
    const TensorId rows = maker.node("Gather", {table, ids}, {2, 128, 64});
    const Estimate cost = estimate(maker.done(maker.node("LayerNormalization", {rows}, {2, 128, 64})));
    ASSERT_EQ(cost.layers.size(), 1U);
    EXPECT_EQ(cost.layers[0].weight_bytes, 2 * 128 * 64 * 4);
}

// x -> Q -> DQ -> Conv (weights Q) -> Q -> DQ -> Relu
ModelGraph& quantized(Maker& maker, ElementType type) {
    const Shape shape{8, 64, 56, 56};
    const TensorId scale = maker.weight({1});
    const auto through = [&](TensorId from, const Shape& of) {
        const TensorId q = maker.node("QuantizeLinear", {from, scale}, of);
        maker.graph.tensors[static_cast<size_t>(q)].type = type;
        const TensorId dq = maker.node("DequantizeLinear", {q, scale}, of);
        maker.graph.tensors[static_cast<size_t>(dq)].type = ElementType::kFloat32;
        return dq;
    };
    const TensorId weights = maker.weight({64, 64, 1, 1}, type);
    const TensorId w = maker.node("DequantizeLinear", {weights, scale}, {64, 64, 1, 1});
    maker.graph.tensors[static_cast<size_t>(w)].type = ElementType::kFloat32;
    const TensorId x = through(maker.node("Relu", {maker.input(shape)}, shape), shape);
    return maker.done(maker.node("Relu", {through(maker.node("Conv", {x, w}, shape), shape)}, shape));
}

TEST(Quantized, ProductsOfQuantizedOperandsAreBoundedInTheirFormat) {
    for (const auto& [type, format] : {std::pair(ElementType::kInt8, Precision::kInt8),
                                       std::pair(ElementType::kFloat8, Precision::kFp8)}) {
        Maker maker;
        const ModelGraph& graph = quantized(maker, type);
        for (const std::optional<Precision> asked :
             {std::optional<Precision>(), std::optional(Precision::kFp16)}) {
            Settings settings;
            settings.device = device("h100-sxm");
            settings.precision = asked;
            const Estimate cost = estimate(graph, settings);
            ASSERT_EQ(cost.layers.size(), 2U) << ::testing::PrintToString(types_of(cost));
            const LayerCost& conv = cost.layers[1];
            EXPECT_EQ(conv.precision, format);
            EXPECT_EQ(conv.input_bytes, 8 * 64 * 56 * 56) << "a byte for each";
            EXPECT_NEAR(conv.weight_bytes, 64 * 64, 4) << "and for each weight, beside the scale";
        }
    }
}

TEST(Quantized, WeightsAloneLeaveTheProductInTheFormatOfTheOtherOperand) {
    Maker maker;
    const TensorId x = maker.input({16, 512}, ElementType::kFloat16);
    const TensorId w =
        maker.node("DequantizeLinear", {maker.weight({512, 512}, ElementType::kInt4)}, {512, 512});
    maker.graph.tensors[static_cast<size_t>(w)].type = ElementType::kFloat16;
    Settings settings;
    settings.device = device("h100-sxm");
    const Estimate cost = estimate(maker.done(maker.node("MatMul", {x, w}, {16, 512})), settings);
    ASSERT_EQ(cost.layers.size(), 1U);
    EXPECT_EQ(cost.layers[0].precision, Precision::kFp16);
    EXPECT_EQ(cost.layers[0].weight_bytes, 512 * 512 / 2);
}

Estimate square_product(const Settings& settings) {
    Maker maker;
    const TensorId x = maker.input({8192, 8192});
    return estimate(maker.done(maker.node("MatMul", {x, maker.weight({8192, 8192})}, {8192, 8192})),
                    settings);
}

TEST(Formats, Fp32ProductsAreBoundedByTf32UnlessAskedNotTo) {
    Settings settings;
    settings.device = device("a100-80");
    const Estimate loose = square_product(settings);
    EXPECT_NEAR(loose.total.bound_s, 2 * std::pow(8192, 3) / 156e12, 1e-6);
    ASSERT_EQ(loose.notes.size(), 1U);
    EXPECT_THAT(loose.notes[0], HasSubstr("TF32"));
    settings.tf32 = false;
    EXPECT_NEAR(square_product(settings).total.bound_s, 2 * std::pow(8192, 3) / 19.5e12, 1e-6);
}

TEST(Formats, NarrowProductsOfGeForceCardsMayBeAddedUpInFp16) {
    Settings settings;
    settings.device = device("rtx-4090");
    settings.precision = Precision::kFp16;
    const Estimate cost = square_product(settings);
    EXPECT_NEAR(cost.total.bound_s, 2 * std::pow(8192, 3) / 330.4e12, 1e-5);
    settings.precision = Precision::kBf16;
    EXPECT_NEAR(square_product(settings).total.bound_s, 2 * std::pow(8192, 3) / 165.2e12, 1e-5);
}

// cuDNN's and MIOpen's Winograd kernels beat FLOPs / peak on devices without matrix units for FP32.
TEST(Bounds, ConvolutionsOnOrdinaryUnitsMayDoWithoutMostMultiplications) {
    Maker maker;
    const TensorId x = maker.input({64, 256, 56, 56});
    Settings settings;
    settings.device = device("v100-sxm2");
    const Estimate cost = estimate(
        maker.done(maker.node("Conv", {x, maker.weight({256, 256, 3, 3})}, {64, 256, 56, 56})), settings);
    EXPECT_NEAR(cost.layers[0].bound_s, cost.total.flops() / 15.7e12, 1e-6);
    EXPECT_NEAR(cost.total.bound_s / cost.layers[0].bound_s, 64.0 / 324, 1e-6) << "8 x 8 for 6 x 6 of 3 x 3";
    settings.precision = Precision::kFp16;
    const Estimate half = estimate(maker.graph, settings);
    EXPECT_DOUBLE_EQ(half.total.bound_s, half.layers[0].bound_s);
}

// Layers that wait for different units may overlap, and small tensors stay in the cache between layers.
TEST(Bounds, TheNetworkIsNoSlowerThanItsBusiestUnit) {
    Maker maker;
    const TensorId x = maker.input({4096, 4096}, ElementType::kFloat16);
    const TensorId product =
        maker.node("MatMul", {x, maker.weight({4096, 4096}, ElementType::kFloat16)}, {4096, 4096});
    const TensorId pooled =
        maker.node("MaxPool", {product}, {4096, 4096}, {{"kernel_shape", std::vector<int64_t>{1, 1}}});
    Settings settings;
    settings.device = device("a100-80");
    const Estimate cost = estimate(maker.done(pooled), settings);
    ASSERT_EQ(cost.layers.size(), 2U);
    EXPECT_DOUBLE_EQ(cost.serial_s, cost.layers[0].bound_s + cost.layers[1].bound_s);
    EXPECT_DOUBLE_EQ(cost.total.bound_s, cost.layers[0].bound_s) << "all tensors fit the L2";
    settings.batch = 4096.0 * 64;
    const Estimate large = estimate(maker.graph, settings);
    EXPECT_GT(large.total.bound_s, large.serial_s / 2);
    EXPECT_LT(large.total.bound_s, large.serial_s);
}

// The steps of an unrolled recurrent network read one matrix: it need come from the memory once.
TEST(Bounds, WeightsThatSeveralLayersShareMayStayInTheCache) {
    Settings settings;
    settings.device = device("t4");
    const double cache = settings.device->cache_bytes(), bandwidth = settings.device->bandwidth;
    const auto bound = [&](int64_t width) {
        Maker maker;
        const TensorId matrix = maker.weight({width, width});
        TensorId x = maker.input({1, width});
        for (int step = 0; step < 20; ++step)
            x = maker.node("Tanh", {maker.node("MatMul", {x, matrix}, {1, width})}, {1, width});
        return estimate(maker.done(x), settings).total;
    };
    const LayerCost small = bound(800);
    EXPECT_GT(small.forward.bytes, 20 * 2.56e6) << "each layer reads it";
    EXPECT_LT(small.bound_s, 2.56e6 / bandwidth);
    const double large = 4 * 4096.0 * 4096;
    const double again = 19 * (large - cache);
    EXPECT_NEAR(bound(4096).bound_s, (large + again - cache) / bandwidth, 1e-6);
}

// Weights, gradients and states of a small network fit the cache, from one step to the next.
TEST(Bounds, ASmallNetworkMayTrainInTheCache) {
    Maker maker;
    const TensorId x = maker.input({1, 1024});
    const TensorId y = maker.node("MatMul", {x, maker.weight({1024, 1024})}, {1, 1024});
    Settings settings;
    settings.device = device("a100-80");
    settings.train = true;
    const Estimate cost =
        estimate(maker.done(maker.node("MatMul", {y, maker.weight({1024, 1024})}, {1, 1024})), settings);
    const double states = 4 * 4 * cost.total.parameters;
    ASSERT_LT(states, settings.device->cache_bytes());
    ASSERT_GT(cost.total.bytes(), settings.device->cache_bytes());
    EXPECT_EQ(cost.total.limiter, Limiter::kMath);
}

}  // namespace
}  // namespace opsight::cost
