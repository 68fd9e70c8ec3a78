#include <gtest/gtest.h>

#include <cmath>

#include "cost/test_network.h"

namespace opsight::cost {
namespace {

using hardware::Device;
using hardware::Precision;

// 1 TFLOP/s and memory that never limits.
Device one_teraflop() {
    Device device;
    device.peaks = {{hardware::UnitKind::kVector, Precision::kFp32, 1e12}};
    device.bandwidth = 1e18;
    return device;
}

// The worked examples of docs/metrics.md, section "Work, bytes, roofline".
TEST(WorkedExamples, ConvolutionWithBias) {
    Maker maker;
    const TensorId x = maker.input({1, 3, 416, 480});
    const TensorId y = maker.node("Conv", {x, maker.weight({16, 3, 3, 3}), maker.weight({16})},
                                  {1, 16, 208, 240}, {{"strides", std::vector<int64_t>{2, 2}}});
    Settings settings;
    settings.device = one_teraflop();
    const Estimate cost = estimate(maker.done(y), settings);
    ASSERT_EQ(cost.layers.size(), 1U);
    EXPECT_EQ(cost.total.flops(), 44'728'320);
    EXPECT_EQ(cost.layers[0].input_bytes, 2'396'160);
    EXPECT_EQ(cost.layers[0].output_bytes, 3'194'880);
    EXPECT_EQ(cost.total.parameters, 448);
    EXPECT_NEAR(cost.total.bound_s, 44.7e-6, 0.05e-6);
}

Estimate linear(double batch, ElementType type, const Device& on) {
    Maker maker;
    const TensorId x = maker.input({512, 1024}, type);
    const TensorId y =
        maker.node("Gemm", {x, maker.weight({4096, 1024}, type)}, {512, 4096}, {{"transB", int64_t{1}}});
    Settings settings;
    settings.device = on;
    settings.batch = batch;
    return estimate(maker.done(y), settings);
}

TEST(WorkedExamples, LinearLayerIsMathOrMemoryLimited) {
    const Estimate large = linear(512, ElementType::kFloat16, device("v100-sxm2"));
    EXPECT_EQ(large.total.flops(), 2.0 * 512 * 1024 * 4096);
    EXPECT_EQ(std::lround(large.intensity()), 315);
    EXPECT_EQ(large.layers[0].limiter, Limiter::kMath);
    const Estimate small = linear(1, ElementType::kFloat16, device("v100-sxm2"));
    EXPECT_EQ(std::lround(small.intensity()), 1);
    EXPECT_EQ(small.layers[0].limiter, Limiter::kMemory);
}

double intensity_of(const char* op, std::map<std::string, Attribute, std::less<>> attributes = {}) {
    Maker maker;
    const TensorId x = maker.input({8, 64, 32, 32}, ElementType::kFloat16);
    return estimate(maker.done(maker.node(op, {x}, {8, 64, 32, 32}, std::move(attributes)))).intensity();
}

TEST(WorkedExamples, IntensityOfMemoryLimitedOps) {
    EXPECT_DOUBLE_EQ(intensity_of("MaxPool", {{"kernel_shape", std::vector<int64_t>{3, 3}}}), 2.25);
    EXPECT_DOUBLE_EQ(intensity_of("Relu"), 0.25);
    EXPECT_LT(intensity_of("LayerNormalization"), 10);
    EXPECT_GT(intensity_of("LayerNormalization"), 0);
}

// The other intensities that NVIDIA publishes, of products in FP16:
// https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html
TEST(WorkedExamples, IntensityOfProducts) {
    const auto product = [](int64_t m, int64_t n, int64_t k) {
        Maker maker;
        const TensorId x = maker.input({m, k}, ElementType::kFloat16);
        const TensorId y = maker.node("MatMul", {x, maker.weight({k, n}, ElementType::kFloat16)}, {m, n});
        Settings settings;
        settings.device = device("v100-sxm2");
        return estimate(maker.done(y), settings);
    };
    const Estimate thin = product(8192, 128, 8192);
    EXPECT_NEAR(thin.intensity(), 124.1, 0.05);
    EXPECT_EQ(thin.layers[0].limiter, Limiter::kMemory);
    const Estimate square = product(8192, 8192, 8192);
    EXPECT_EQ(std::floor(square.intensity()), 2730);
    EXPECT_EQ(square.layers[0].limiter, Limiter::kMath);
    EXPECT_LT(product(8192, 1, 8192).intensity(), 1);
}

// Multiply-adds of an encoder's layer on L tokens of width d with an inner width of 4 d: four projections (4
// L d²), two linear layers (8 L d²), scores and their sums (2 L² d).
TEST(WorkedExamples, TransformerLayerEqualsItsClosedForm) {
    const int64_t tokens = 128, width = 512, heads = 8;
    Maker maker;
    const Shape row{1, tokens, width}, split{1, heads, tokens, width / heads};
    const TensorId x = maker.input(row);
    const auto linear = [&](TensorId in, int64_t from, int64_t to) {
        return maker.node("MatMul", {in, maker.weight({from, to})}, {1, tokens, to});
    };
    std::vector<TensorId> parts;
    for (int i = 0; i < 3; ++i)
        parts.push_back(maker.node("Reshape", {linear(x, width, width)}, split));
    const TensorId seen = maker.node("Attention", parts, split);
    const TensorId mixed = linear(maker.node("Reshape", {seen}, row), width, width);
    const TensorId inner = maker.node("Gelu", {linear(mixed, width, 4 * width)}, {1, tokens, 4 * width});
    const Estimate cost = estimate(maker.done(linear(inner, 4 * width, width)));
    const auto l = static_cast<double>(tokens), d = static_cast<double>(width);
    EXPECT_EQ(cost.total.macs(), 12 * l * d * d + 2 * l * l * d);
    EXPECT_EQ(cost.total.parameters, 12 * d * d);
}

TEST(WorkedExamples, AlexNetLayerByLayer) {
    struct Case {
        const char* op;
        Shape in, weight, out;
        double flops;
    };
    const std::vector<Case> cases = {
        {"Conv", {1, 3, 224, 224}, {64, 3, 11, 11}, {1, 64, 55, 55}, 140'553'600},
        {"Conv", {1, 64, 27, 27}, {192, 64, 5, 5}, {1, 192, 27, 27}, 447'897'600},
        {"Conv", {1, 192, 13, 13}, {384, 192, 3, 3}, {1, 384, 13, 13}, 224'280'576},
        {"Conv", {1, 384, 13, 13}, {256, 384, 3, 3}, {1, 256, 13, 13}, 299'040'768},
        {"Conv", {1, 256, 13, 13}, {256, 256, 3, 3}, {1, 256, 13, 13}, 199'360'512},
        {"MatMul", {1, 9216}, {9216, 4096}, {1, 4096}, 75'497'472},
        {"MatMul", {1, 4096}, {4096, 4096}, {1, 4096}, 33'554'432},
        {"MatMul", {1, 4096}, {4096, 1000}, {1, 1000}, 8'192'000},
    };
    for (const Case& layer : cases) {
        Maker maker;
        const TensorId x = maker.input(layer.in);
        const TensorId y = maker.node(layer.op, {x, maker.weight(layer.weight)}, layer.out);
        EXPECT_EQ(estimate(maker.done(y)).total.flops(), layer.flops);
    }
}

TEST(WorkedExamples, LstmCell) {
    Maker maker;
    const double h = 1024;
    const TensorId x = maker.input({1, 1, 1024});
    const TensorId y = maker.node("LSTM", {x, maker.weight({1, 4096, 1024}), maker.weight({1, 4096, 1024})},
                                  {1, 1, 1, 1024});
    EXPECT_EQ(2 * estimate(maker.done(y)).total.macs(), 16 * h * h);
}

TEST(WorkedExamples, FusedRecurrentCells) {
    const double h = 64, in = 32, rows = 5 * 3;
    const auto macs = [](Maker& maker, TensorId y) { return estimate(maker.done(y)).total.macs(); };
    {
        Maker maker;
        const TensorId x = maker.input({5, 3, 32}), state = maker.input({3, 64}), steps = maker.input({1});
        const TensorId y =
            maker.node("BlockLSTM", {steps, x, state, state, maker.weight({96, 256})}, {5, 3, 64});
        EXPECT_EQ(macs(maker, y), rows * 4 * h * (in + h));
    }
    {
        Maker maker;
        const TensorId x = maker.input({3, 32}), state = maker.input({3, 64});
        const TensorId y =
            maker.node("GRUBlockCell", {x, state, maker.weight({96, 128}), maker.weight({96, 64})}, {3, 64});
        EXPECT_EQ(macs(maker, y), 3 * 3 * h * (in + h));
    }
    // Two layers in both directions: as two ONNX layers, of which the second reads both directions of the
    // first.
    Maker maker;
    const TensorId x = maker.input({5, 3, 32}), state = maker.input({4, 3, 64});
    const TensorId y =
        maker.node("CudnnRNN", {x, state, state, maker.weight({100})}, {5, 3, 128},
                   {{"directions", int64_t{2}}, {"layers", int64_t{2}}, {"cell", std::string("lstm")}});
    EXPECT_EQ(macs(maker, y), rows * 2 * 4 * h * ((in + h) + (2 * h + h)));
}

TEST(Formulas, AttentionAndTransposedAndGroupedConvolution) {
    Maker attention;
    const TensorId q = attention.input({2, 8, 128, 64});
    const TensorId y = attention.node("Attention", {q, q, q}, {2, 8, 128, 64});
    const Estimate cost = estimate(attention.done(y));
    EXPECT_EQ(2 * cost.total.macs(), 4.0 * 2 * 8 * 128 * 128 * 64);

    Maker grouped;  // depthwise: one input channel for each output channel
    const TensorId x = grouped.input({1, 32, 56, 56});
    const TensorId z = grouped.node("Conv", {x, grouped.weight({32, 1, 3, 3})}, {1, 32, 56, 56});
    EXPECT_EQ(estimate(grouped.done(z)).total.macs(), 32.0 * 56 * 56 * 9);

    Maker turned;  // as many multiply-adds as the convolution that it reverses
    const TensorId a = turned.input({1, 64, 28, 28});
    const TensorId b = turned.node("ConvTranspose", {a, turned.weight({64, 32, 2, 2})}, {1, 32, 56, 56});
    EXPECT_EQ(estimate(turned.done(b)).total.macs(), 64.0 * 28 * 28 * 32 * 4);
}

// Two convolutions with activations and a residual: small, with all that estimates go through.
ModelGraph residual_block() {
    Maker maker;
    const TensorId x = maker.input({2, 16, 32, 32});
    const TensorId c1 =
        maker.node("Conv", {x, maker.weight({16, 16, 3, 3}), maker.weight({16})}, {2, 16, 32, 32});
    const TensorId r1 = maker.node("Relu", {c1}, {2, 16, 32, 32});
    const TensorId c2 = maker.node("Conv", {r1, maker.weight({16, 16, 3, 3})}, {2, 16, 32, 32});
    const TensorId sum = maker.node("Add", {c2, x}, {2, 16, 32, 32});
    const TensorId r2 = maker.node("Relu", {sum}, {2, 16, 32, 32});
    const TensorId flat = maker.node("Flatten", {r2}, {2, 16384});
    return maker.done(maker.node("Gemm", {flat, maker.weight({16384, 10})}, {2, 10}));
}

TEST(Properties, FlopsAreLinearInBatch) {
    const ModelGraph graph = residual_block();
    for (bool train : {false, true}) {
        Settings settings;
        settings.train = train;
        settings.optimizer = Optimizer::kSgd;
        settings.batch = 2;
        const double optimizer = train ? 2 * estimate(graph, settings).total.parameters : 0;
        const double two = estimate(graph, settings).total.flops() - optimizer;
        for (double batch : {1.0, 4.0, 64.0}) {
            settings.batch = batch;
            EXPECT_DOUBLE_EQ(estimate(graph, settings).total.flops() - optimizer, two * batch / 2);
        }
    }
}

TEST(Properties, BoundsFallWithHigherPeaks) {
    const ModelGraph graph = residual_block();
    Settings settings;
    double last = 0;
    for (double derate : {1.0, 0.8, 0.5, 0.1}) {
        settings.device = device("t4");
        settings.derate = derate;
        const double bound = estimate(graph, settings).total.bound_s;
        EXPECT_GT(bound, last);
        last = bound;
    }
    settings.derate = 1;
    const double before = estimate(graph, settings).total.bound_s;
    settings.device->bandwidth *= 2;
    const double wide = estimate(graph, settings).total.bound_s;
    EXPECT_LE(wide, before);
    for (auto& peak : settings.device->peaks)
        peak.dense *= 2;
    EXPECT_DOUBLE_EQ(estimate(graph, settings).total.bound_s * 2, before);
}

TEST(Properties, FusionKeepsWorkAndNeverAddsBytes) {
    const ModelGraph graph = residual_block();
    for (bool train : {false, true}) {
        Settings settings = unfused();
        settings.train = train;
        const Estimate plain = estimate(graph, settings);
        settings.fuse = true;
        const Estimate fused = estimate(graph, settings);
        EXPECT_EQ(fused.total.flops(), plain.total.flops());
        EXPECT_EQ(fused.total.parameters, plain.total.parameters);
        EXPECT_LT(fused.total.bytes(), plain.total.bytes());
        EXPECT_LE(fused.memory.peak(), plain.memory.peak());
        EXPECT_LT(fused.layers.size(), plain.layers.size());
    }
}

TEST(Fusion, ActivationsAndResidualsJoinTheConvolutionBefore) {
    const ModelGraph graph = residual_block();
    const Estimate fused = estimate(graph);
    ASSERT_EQ(fused.layers.size(), 3U);
    EXPECT_EQ(fused.layers[0].op_type, "Conv+Relu");
    EXPECT_EQ(fused.layers[1].op_type, "Conv+Add+Relu");
    EXPECT_EQ(fused.layers[2].op_type, "Gemm");
    const double plane = 2 * 16 * 32 * 32 * 4;
    EXPECT_EQ(fused.layers[1].bytes(), 3 * plane + 16 * 16 * 9 * 4) << "two planes in, one out, the weights";
}

TEST(Memory, PeakLiesBetweenTheLargestWorkingSetAndTheSum) {
    const ModelGraph graph = residual_block();
    const Memory memory = estimate(graph, unfused()).memory;
    EXPECT_GE(memory.activations, memory.largest_working_set);
    EXPECT_LE(memory.activations, memory.all_activations);
    // The Add needs its two inputs and its output: three planes live, the two others are gone.
    EXPECT_EQ(memory.activations, 3.0 * 2 * 16 * 32 * 32 * 4);
    EXPECT_EQ(memory.weights, 4.0 * (2 * 16 * 16 * 9 + 16 + 163840));
}

TEST(Training, GradientsOfProductsCostTwiceButForTheInput) {
    const ModelGraph graph = residual_block();
    Settings settings = unfused();
    settings.train = true;
    const Estimate cost = estimate(graph, settings);
    const LayerCost &first = cost.layers[0], &second = cost.layers[2];
    EXPECT_EQ(first.backward.macs, first.forward.macs) << "nothing asks for the gradient of the images";
    EXPECT_EQ(second.backward.macs, 2 * second.forward.macs);
    EXPECT_EQ(cost.layers.back().op_type, "Adam");
    EXPECT_EQ(cost.memory.gradients, cost.memory.weights);
    EXPECT_EQ(cost.memory.optimizer, 2 * cost.memory.weights);
}

TEST(Settings, NarrowerFormatsAndSparseWeights) {
    const ModelGraph graph = residual_block();
    Settings settings;
    settings.device = device("a100-80");
    const Estimate single = estimate(graph, settings);
    settings.precision = Precision::kFp16;
    const Estimate half = estimate(graph, settings);
    EXPECT_DOUBLE_EQ(half.total.bytes() * 2, single.total.bytes());
    EXPECT_EQ(half.total.flops(), single.total.flops());
    EXPECT_LT(half.total.bound_s, single.total.bound_s);
    settings.sparse = true;
    const Estimate sparse = estimate(graph, settings);
    EXPECT_LT(sparse.memory.weights, half.memory.weights * 0.57);
    EXPECT_LE(sparse.total.bound_s, half.total.bound_s);
}

TEST(Settings, AFormatWithoutUnitsFallsBackAndSaysSo) {
    const ModelGraph graph = residual_block();
    Settings settings;
    settings.device = device("a100-80");
    settings.precision = Precision::kFp8;
    const Estimate cost = estimate(graph, settings);
    ASSERT_EQ(cost.notes.size(), 1U);
    EXPECT_EQ(cost.notes[0], "NVIDIA A100 SXM4 80GB has no peak for products in fp8; that of fp16 is taken");
}

// A user's own peaks are what they say.
TEST(Settings, ExplicitPeaksOfAGeForceCardStay) {
    const ModelGraph graph = residual_block();
    const auto table = hardware::DeviceTable::with_text(
        "devices:\n"
        "  - {key: half, consumer: true, vector: {fp32: 1}, matrix: {fp16: 1}}\n"
        "  - {key: plain, vector: {fp32: 1}, matrix: {fp16: 1}}\n"
        "  - {key: both, vector: {fp32: 1}, matrix: {fp16: 1}, fp16_sums: {fp16: 2}}\n",
        "my.yaml");
    ASSERT_TRUE(table) << table.error().message();
    const auto matrix_rate = [&](const char* key) {
        return product_peak(table->find(key).value(), Precision::kFp16, false).rate;
    };
    EXPECT_EQ(matrix_rate("half"), matrix_rate("plain"));
    EXPECT_EQ(matrix_rate("both"), 2 * matrix_rate("plain"));
    Settings settings;
    settings.precision = Precision::kFp16;
    settings.device = table->find("both").value();
    const std::vector<std::string> notes = estimate(graph, settings).notes;
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
        return note.find("adding them up in FP16") != std::string::npos;
    }));
}

// A slow unit of the format itself is not a limit where a wider format is faster.
TEST(Settings, TheFasterOfTheFormatsThatCanHoldIt) {
    using enum Precision;
    const HighestPeak pascal = product_peak(device("gtx-1080-ti"), kFp16, false);
    EXPECT_EQ(pascal.precision, kFp32);
    EXPECT_EQ(vector_peak(device("gtx-1080-ti"), kFp16).precision, kFp32);
    const HighestPeak ultra = product_peak(device("b300"), kInt8, false);
    EXPECT_EQ(ultra.precision, kFp16);
    EXPECT_TRUE(ultra.matrix);
    EXPECT_EQ(product_peak(device("t4"), kBf16, false).precision, kFp32) << "FP16 cannot hold BF16";
    EXPECT_EQ(product_peak(device("tpu-v4"), kFp16, false).precision, kFp32) << "nor BF16 FP16";
    EXPECT_EQ(product_peak(device("a100-80"), kFp32, false).precision, kFp32);
}

TEST(Settings, FiguresWithoutASourceAreSaid) {
    const ModelGraph graph = residual_block();
    Settings settings;
    settings.precision = Precision::kBf16;
    settings.device = device("gaudi2");
    const std::vector<std::string> notes = estimate(graph, settings).notes;
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(
        notes[0],
        "Intel Gaudi 2: no source gives the bandwidth, the matrix peak in bf16, the vector peak in bf16; "
        "they are estimates");
    settings.device = device("h100-sxm");
    EXPECT_TRUE(estimate(graph, settings).notes.empty());
}

TEST(Uncounted, UnknownOpsAreNamedAndLeftOutOfNoList) {
    Maker maker;
    const TensorId x = maker.input({1, 8});
    const Estimate cost = estimate(maker.done(maker.node("Mystery", {x}, {1, 8})));
    ASSERT_EQ(cost.uncounted.size(), 1U);
    EXPECT_EQ(cost.uncounted[0], "1 x Mystery");
    EXPECT_EQ(cost.layers.at(0).kind, WorkKind::kUncounted);
}

}  // namespace
}  // namespace opsight::cost
