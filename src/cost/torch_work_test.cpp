#include "cost/torch_work.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/estimate.h"

namespace opsight::cost {
namespace {

TorchWork work_of(std::string_view name, std::string_view shapes, std::string_view dtypes,
                  std::string_view concrete = "", std::string_view strides = "") {
    return torch_work(read_torch_call(name, {shapes, dtypes, concrete, strides}, ElementType::kFloat32));
}

TorchWork convolution(std::string_view name, std::string_view input, std::string_view weight,
                      std::string_view bias, std::string_view values) {
    const std::string shapes = "[" + std::string(input) + ", " + std::string(weight) + ", " +
                               std::string(bias) + ", [], [], [], []]";
    const std::string types = R"(["float", "float", ")" + std::string(bias == "[]" ? "" : "float") +
                              R"(", "ScalarList", "ScalarList", "ScalarList", "Scalar"])";
    return work_of(name, shapes, types, values);
}

TEST(TorchWork, ConvolutionWithBiasIsTheWorkedExample) {
    const TorchWork work = convolution("aten::conv2d", "[1, 3, 416, 480]", "[16, 3, 3, 3]", "[16]",
                                       R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "1"])");
    EXPECT_EQ(work.flops, 44'728'320);
    EXPECT_EQ(work.bytes, 2'396'160 + 3'194'880 + 448 * 4);
    EXPECT_EQ(work.kind, WorkKind::kMatrix);
}

TEST(TorchWork, LinearLayerIsTheWorkedExample) {
    const TorchWork batched =
        work_of("aten::linear", "[[512, 1024], [4096, 1024], []]", R"(["c10::Half", "c10::Half", ""])");
    EXPECT_EQ(batched.flops, 2.0 * 512 * 1024 * 4096);
    EXPECT_EQ(std::floor(batched.flops / batched.bytes), 315);
    const TorchWork one =
        work_of("aten::linear", "[[1, 1024], [4096, 1024], []]", R"(["c10::Half", "c10::Half", ""])");
    EXPECT_EQ(std::round(one.flops / one.bytes), 1);
    // The same product as another op, without and with a bias: 1 multiply-add for each output.
    const TorchWork mm = work_of("aten::mm", "[[512, 1024], [1024, 4096]]", R"(["c10::Half", "c10::Half"])");
    EXPECT_EQ(mm.flops, batched.flops);
    EXPECT_EQ(mm.bytes, batched.bytes);
    const TorchWork addmm = work_of("aten::addmm", "[[4096], [512, 1024], [1024, 4096], [], []]",
                                    R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar"])");
    EXPECT_EQ(addmm.flops, mm.flops + 2.0 * 512 * 4096);
}

TEST(TorchWork, MemoryBoundOpsHaveTheIntensityOfTheGuide) {
    const TorchWork pool =
        work_of("aten::max_pool2d", "[[8, 64, 56, 56], [], [], [], [], []]",
                R"(["c10::Half", "ScalarList", "ScalarList", "ScalarList", "ScalarList", "Scalar"])",
                R"(["", "[3, 3]", "[1, 1]", "[1, 1]", "[1, 1]", "False"])");
    EXPECT_EQ(pool.flops / pool.bytes, 2.25);
    const TorchWork relu = work_of("aten::relu_", "[[8, 64, 56, 56]]", R"(["c10::Half"])");
    EXPECT_EQ(relu.flops / relu.bytes, 0.25);
    const TorchWork norm = work_of("aten::native_layer_norm", "[[8, 197, 768], [], [768], [768], []]",
                                   R"(["c10::Half", "ScalarList", "c10::Half", "c10::Half", "Scalar"])",
                                   R"(["", "[768]", "", "", "1e-5"])");
    EXPECT_LT(norm.flops / norm.bytes, 10);
    EXPECT_GT(norm.flops, 0);
}

TEST(TorchWork, AlexNetLayerByLayer) {
    struct Layer {
        const char *input, *weight, *values;
        double flops;
    };
    const Layer layers[] = {
        {"[1, 3, 224, 224]", "[64, 3, 11, 11]", R"(["", "", "", "[4, 4]", "[2, 2]", "[1, 1]", "1"])",
         140'553'600},
        {"[1, 64, 27, 27]", "[192, 64, 5, 5]", R"(["", "", "", "[1, 1]", "[2, 2]", "[1, 1]", "1"])",
         447'897'600},
        {"[1, 192, 13, 13]", "[384, 192, 3, 3]", R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])",
         224'280'576},
        {"[1, 384, 13, 13]", "[256, 384, 3, 3]", R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])",
         299'040'768},
        {"[1, 256, 13, 13]", "[256, 256, 3, 3]", R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])",
         199'360'512},
    };
    double macs = 0;
    for (const Layer& layer : layers) {
        const std::string shapes =
            std::string("[") + layer.input + ", " + layer.weight + ", [], [], [], [], []]";
        const TorchWork work = work_of("aten::conv2d", shapes, R"(["float", "float", ""])", layer.values);
        EXPECT_EQ(work.flops, layer.flops) << layer.input;
        macs += work.macs;
    }
    for (const auto& [shapes, flops] : {std::pair("[[1, 9216], [9216, 4096]]", 75'497'472.0),
                                        std::pair("[[1, 4096], [4096, 4096]]", 33'554'432.0),
                                        std::pair("[[1, 4096], [4096, 1000]]", 8'192'000.0)}) {
        const TorchWork work = work_of("aten::mm", shapes, R"(["float", "float"])");
        EXPECT_EQ(work.flops, flops);
        macs += work.macs;
    }
    EXPECT_EQ(macs, 714'188'480);  // as all public counters that leave the bias out
}

TEST(TorchWork, BackwardOfAConvolutionByItsMask) {
    const auto backward = [](const char* mask) {
        return work_of(
            "aten::convolution_backward",
            "[[8, 64, 28, 28], [8, 32, 28, 28], [64, 32, 3, 3], [], [], [], [], [], [], [], []]",
            R"(["float", "float", "float", "ScalarList"])",
            std::string(R"(["", "", "", "[64]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", ")") +
                mask + R"("])");
    };
    const double forward = 2.0 * 8 * 64 * 28 * 28 * 32 * 9;
    EXPECT_EQ(backward("[True, True, False]").flops, 2 * forward);
    EXPECT_EQ(backward("[False, True, False]").flops, forward);
    EXPECT_EQ(backward("[True, True, True]").flops, 2 * forward + 8 * 64 * 28 * 28);
    EXPECT_EQ(backward("[True, True, True]").evidence, Evidence::kShapes);
}

TEST(TorchWork, GroupedDilatedAndTransposedConvolutions) {
    const TorchWork depthwise = convolution("aten::conv2d", "[2, 32, 16, 16]", "[32, 1, 3, 3]", "[]",
                                            R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "32"])");
    EXPECT_EQ(depthwise.flops, 2.0 * 2 * 32 * 16 * 16 * 9);
    const TorchWork dilated = convolution("aten::conv2d", "[1, 8, 20, 20]", "[4, 8, 3, 3]", "[]",
                                          R"(["", "", "", "[1, 1]", "[0, 0]", "[2, 2]", "1"])");
    EXPECT_EQ(dilated.flops, 2.0 * 4 * 16 * 16 * 8 * 9);
    // Each input meets each weight of its channel: 4x4 inputs, whatever comes out.
    const TorchWork transposed = work_of(
        "aten::convolution", "[[1, 8, 4, 4], [8, 6, 2, 2], [], [], [], [], [], [], []]",
        R"(["float", "float"])", R"(["", "", "", "[2, 2]", "[0, 0]", "[1, 1]", "True", "[0, 0]", "1"])");
    EXPECT_EQ(transposed.flops, 2.0 * 8 * 4 * 4 * 6 * 4);
    EXPECT_EQ(transposed.bytes, 4.0 * (8 * 16 + 8 * 6 * 4 + 6 * 64));
}

TEST(TorchWork, AttentionAndItsBackwardPass) {
    constexpr const char* kTypes = R"(["c10::Half", "c10::Half", "c10::Half"])";
    const auto attention = [&](const char* causal) {
        return work_of("aten::_scaled_dot_product_flash_attention",
                       "[[2, 12, 128, 64], [2, 12, 128, 64], [2, 12, 128, 64], [], [], [], []]", kTypes,
                       std::string(R"(["", "", "", "0.", ")") + causal + R"(", "False", ""])");
    };
    const TorchWork full = attention("False"), causal = attention("True");
    EXPECT_EQ(full.matrix_flops, 4.0 * 2 * 12 * 128 * 128 * 64);
    EXPECT_EQ(causal.matrix_flops, 4.0 * 2 * 12 * (128 * 129 / 2) * 64);
    const TorchWork backward =
        work_of("aten::_scaled_dot_product_flash_attention_backward",
                "[[2, 12, 128, 64], [2, 12, 128, 64], [2, 12, 128, 64], [2, 12, 128, 64], [2, 12, 128, 64], "
                "[2, 12, 128], "
                "[], [], [], [], [], []]",
                R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "c10::Half", "float"])",
                R"(["", "", "", "", "", "", "", "", "128", "128", "0.", "False"])");
    EXPECT_EQ(backward.matrix_flops, 2.5 * full.matrix_flops);
    EXPECT_EQ(backward.matrix_flops - backward.recomputed_flops, 2 * full.matrix_flops);
    // The layout of the kernel's own op: length before heads.
    const TorchWork inner =
        work_of("aten::_flash_attention_forward",
                "[[2, 128, 12, 64], [2, 128, 12, 64], [2, 128, 12, 64], [], [], [], [], [], []]", kTypes,
                R"(["", "", "", "", "", "128", "128", "0.", "True"])");
    EXPECT_EQ(inner.matrix_flops, causal.matrix_flops);
}

TEST(TorchWork, LstmOfOneLayer) {
    // 16·h² for each element and step where x = h.
    const TorchWork lstm =
        work_of("aten::_cudnn_rnn",
                "[[1, 1, 1024], [], [], [], [1, 1, 1024], [1, 1, 1024], [], [], [], [], [], [], [], []]",
                R"(["float", "TensorList", "Scalar", "", "float", "float"])",
                R"(["", "", "4", "", "", "", "2", "1024", "0", "1", "False", "0.", "True", "False"])");
    EXPECT_EQ(lstm.matrix_flops, 16.0 * 1024 * 1024);
}

TEST(TorchWork, FlopsGrowWithTheBatch) {
    struct Call {
        const char *name, *before, *after, *dtypes, *values;
    };
    const Call calls[] = {
        {"aten::conv2d", "[[", ", 8, 20, 20], [4, 8, 3, 3], [], [], [], [], []]", R"(["float", "float"])",
         R"(["", "", "", "[1, 1]", "[0, 0]", "[2, 2]", "1"])"},
        {"aten::mm", "[[", ", 64], [64, 32]]", R"(["float", "float"])", ""},
        {"aten::gelu", "[[", ", 64], []]", R"(["float", ""])", ""},
        {"aten::_softmax", "[[", ", 64], [], []]", R"(["float", "Scalar", "Scalar"])", ""},
        {"aten::native_batch_norm", "[[", ", 8, 4, 4], [8], [8], [8], [8], [], [], []]",
         R"(["float", "float", "float", "float", "float"])",
         R"(["", "", "", "", "", "True", "0.1", "1e-5"])"},
        {"aten::scaled_dot_product_attention", "[[", ", 2, 16, 8], [4, 2, 16, 8], [4, 2, 16, 8], [], [], []]",
         R"(["float", "float", "float"])", R"(["", "", "", "", "0.", "True"])"},
    };
    for (const Call& call : calls) {
        double first = 0;
        for (int batch = 1; batch <= 8; batch *= 2) {
            const TorchWork work = work_of(call.name, call.before + std::to_string(batch) + call.after,
                                           call.dtypes, call.values);
            ASSERT_TRUE(work.counted()) << call.name;
            if (batch == 1) first = work.flops;
            EXPECT_EQ(work.flops, batch * first) << call.name;
        }
        EXPECT_GT(first, 0) << call.name;
    }
}

TEST(TorchWork, StridesOfZeroAreTheSameMemory) {
    const TorchWork stretched = work_of("aten::add", "[[64, 128], [64, 128], []]",
                                        R"(["float", "float", "Scalar"])", "", "[[128, 1], [0, 1], []]");
    EXPECT_EQ(stretched.bytes, 4.0 * (64 * 128 + 128 + 64 * 128));
}

TEST(TorchWork, OldTracesLearnFromTheBackwardPass) {
    const auto call = [](std::string_view name, std::string_view shapes) {
        return read_torch_call(name, {shapes, R"(["float", "float", "float"])", "", ""},
                               ElementType::kFloat32);
    };
    TorchCall forward =
        call("aten::cudnn_convolution", "[[4, 3, 8, 8], [16, 3, 3, 3], [], [], [], [], [], []]");
    EXPECT_FALSE(torch_work(forward).counted());
    KnownOutputs known;
    learn_outputs(call("aten::cudnn_convolution_backward", "[[4, 3, 8, 8], [4, 16, 4, 4], [16, 3, 3, 3]]"),
                  known);
    forward.known_outputs = &known;
    const TorchWork work = torch_work(forward);
    EXPECT_EQ(work.flops, 2.0 * 4 * 16 * 16 * 27);
    EXPECT_EQ(work.evidence, Evidence::kEstimate);
    // Another output for the same shapes: no longer known.
    learn_outputs(call("aten::cudnn_convolution_backward", "[[4, 3, 8, 8], [4, 16, 6, 6], [16, 3, 3, 3]]"),
                  known);
    EXPECT_FALSE(torch_work(forward).counted());
}

TEST(TorchWork, FusedKernelsCountTheOpsOfTheirName) {
    const TorchWork work = work_of("triton_poi_fused__unsafe_view_mul_silu_2", "[[8, 64], [8, 64], []]",
                                   R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])");
    EXPECT_EQ(work.flops, 512 * (1 + 5));
    EXPECT_EQ(work.bytes, 2 * 512 * 2);
    EXPECT_EQ(work.evidence, Evidence::kEstimate);
}

TEST(TorchWork, OpsOfServingLibraries) {
    const std::string bf16 =
        R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
    const TorchWork norm = work_of("aiter::rmsnorm", "[[8, 64], [8, 64], [64], []]", bf16);
    EXPECT_EQ(norm.bytes, 2 * (2 * 512 + 64));
    EXPECT_EQ(norm.flops, 4 * 512);
    const TorchWork in_place = work_of("_C::fused_add_rms_norm", "[[8, 64], [8, 64], [64], []]", bf16);
    EXPECT_EQ(in_place.bytes, 2 * (4 * 512 + 64));
    EXPECT_EQ(in_place.flops, 5 * 512);
    const TorchWork gate = work_of("sgl_kernel::silu_and_mul", "[[8, 64], [8, 128]]", bf16);
    EXPECT_EQ(gate.bytes, 2 * 3 * 512);
    EXPECT_EQ(gate.flops, (5 + 1) * 512);
    const TorchWork turn =
        work_of("sgl_kernel::rotary_embedding", "[[8], [8, 64], [8, 16], [], [4096, 32], []]",
                R"(["long int", "c10::BFloat16", "c10::BFloat16", "Scalar", "c10::BFloat16", ""])");
    EXPECT_EQ(turn.bytes, 2 * 2 * (512 + 128) + 8 * 8 + 8 * 32 * 2);
    const TorchWork store =
        work_of("sglang::store_cache", "[[8, 64], [8, 64], [999, 64], [999, 64], [8], [], []]",
                R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "long int"])");
    EXPECT_EQ(store.bytes, 2 * 4 * 512 + 64);
    EXPECT_EQ(store.kind, WorkKind::kMove);
    EXPECT_FALSE(work_of("my::rms_norm", "[[8, 64], [8, 64], [64], []]", bf16).counted());
    EXPECT_FALSE(work_of("aiter::rmsnorm", "[]", "[]").counted());
}

TEST(TorchWork, WhatIsNotKnownIsNotCounted) {
    EXPECT_FALSE(work_of("my::op", "[[8, 64]]", R"(["float"])").counted());
    EXPECT_FALSE(work_of("aten::mm", "[[8, 64], [63, 32]]", R"(["float", "float"])").counted());
    EXPECT_FALSE(work_of("aten::mm", "[[8, 64]]", R"(["float"])").counted());
    EXPECT_FALSE(work_of("aten::mm", "", "").counted());
    EXPECT_FALSE(work_of("aten::mm", "[[8, 64", "[\"float").counted());
    EXPECT_FALSE(
        work_of("aten::mm", "[[9223372036854775807, 9223372036854775807], [1, 1]]", R"(["float", "float"])")
            .counted());
    EXPECT_FALSE(work_of("aten::conv2d", "[[1, 3, 8, 8], [4, 3, 3, 3], [], [], [], [], []]",
                         R"(["float", "float"])", R"(["", "", "", "[0, 0]", "[0, 0]", "[1, 1]", "1"])")
                     .counted());
    EXPECT_FALSE(work_of("aten::add", "[[8, 64], [8, 63], []]", R"(["float", "float", "Scalar"])").counted());
}

TEST(TorchWork, BoundsFallAsPeaksRise) {
    const TorchWork mm = work_of("aten::mm", "[[512, 1024], [1024, 4096]]", R"(["c10::Half", "c10::Half"])");
    hardware::Device device;
    device.peaks = {{hardware::UnitKind::kMatrix, hardware::Precision::kFp16, 1e12},
                    {hardware::UnitKind::kVector, hardware::Precision::kFp32, 1e11}};
    device.bandwidth = 1e11;
    double before = INFINITY;
    for (int step = 0; step < 8; ++step) {
        const Bound bound = bound_of({mm.macs, mm.flops, mm.matrix_flops, mm.bytes}, device,
                                     precision_of_type(mm.type), false, 1);
        EXPECT_LE(bound.seconds, before);
        EXPECT_EQ(bound.seconds, std::max(bound.math_s, bound.memory_s));
        before = bound.seconds;
        device.peaks[0].dense *= 2;
        if (step % 2) device.bandwidth *= 1.5;
    }
}

}  // namespace
}  // namespace opsight::cost
