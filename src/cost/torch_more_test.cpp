// Ops whose arguments tell what they do in their own ways.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cost/torch_work.h"

namespace opsight::cost {
namespace {

TorchWork work_of(std::string_view name, std::string_view shapes, std::string_view dtypes,
                  std::string_view concrete = "") {
    return torch_work(read_torch_call(name, {shapes, dtypes, concrete, ""}, ElementType::kFloat32));
}

constexpr std::string_view kBf16 = R"("c10::BFloat16")";

std::string types(int bf16, const std::string& rest = "") {
    std::string text = "[";
    for (int i = 0; i < bf16; ++i)
        text += (i > 0 ? ", " : "") + std::string(kBf16);
    return text + (rest.empty() ? "" : ", " + rest) + "]";
}

TEST(TorchMore, GroupedProducts) {
    // 4096 rows divided among 8 experts.
    const TorchWork rows =
        work_of("aten::_grouped_mm", "[[4096, 1024], [8, 1024, 2048], [8]]", types(2, "\"int\""));
    EXPECT_EQ(rows.macs, 4096.0 * 1024 * 2048);
    EXPECT_EQ(rows.bytes, 2.0 * (4096 * 1024 + 8 * 1024 * 2048 + 4096 * 2048));
    EXPECT_EQ(rows.type, ElementType::kBfloat16);
    // Two rows reach two experts at most.
    const TorchWork few =
        work_of("aten::_grouped_mm", "[[2, 1024], [8, 1024, 2048], [8]]", types(2, "\"int\""));
    EXPECT_EQ(few.bytes, 2.0 * (2 * 1024 + 2 * 1024 * 2048 + 2 * 2048));
    EXPECT_EQ(few.evidence, Evidence::kEstimate);
    // Gradients of weights: the inner size is divided, a result for each group.
    const TorchWork inner =
        work_of("aten::_grouped_mm", "[[1024, 4096], [4096, 2048], [8]]", types(2, "\"int\""));
    EXPECT_EQ(inner.macs, 1024.0 * 4096 * 2048);
    EXPECT_EQ(inner.bytes, 2.0 * (1024 * 4096 + 4096 * 2048 + 8.0 * 1024 * 2048));
}

TEST(TorchMore, ResultsHaveTheTypeThatTheCallTells) {
    const TorchWork out =
        work_of("aten::mm", "[[512, 1024], [1024, 256], [512, 256]]", types(2, "\"float\""));
    EXPECT_EQ(out.bytes, 2.0 * (512 * 1024 + 1024 * 256) + 4.0 * 512 * 256);
    EXPECT_EQ(out.evidence, Evidence::kShapes);
    const std::string_view fp8 =
        R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", "", "", "Scalar", "Scalar"])";
    const TorchWork scaled = work_of("aten::_scaled_mm", "[[512, 1024], [1024, 256], [], [], [], [], [], []]",
                                     fp8, R"(["", "", "", "", "", "", "6", "False"])");
    EXPECT_EQ(scaled.bytes, 512.0 * 1024 + 1024 * 256 + 4.0 * 512 * 256);
    EXPECT_EQ(scaled.evidence, Evidence::kShapes);
    EXPECT_EQ(scaled.type, ElementType::kFloat8);
}

TEST(TorchMore, ResultsOfTwoTypesAreOfTheWiderOne) {
    constexpr double kOf16 = 2.0 * 512 * 4096, kRow = 4.0 * 512, kOf32 = 4.0 * 512 * 4096;
    const std::string_view shapes = "[[1, 512, 4096], [1, 512, 1]]";
    const TorchWork wide = work_of("aten::mul", shapes, types(1, "\"float\""));
    EXPECT_EQ(wide.bytes, kOf16 + kRow + kOf32);
    EXPECT_EQ(wide.type, ElementType::kFloat32);
    EXPECT_EQ(work_of("aten::mul_", shapes, types(1, "\"float\"")).bytes, kOf16 + kRow + kOf16) << "in place";
    EXPECT_EQ(work_of("aten::mul", shapes, types(1, "\"c10::Half\"")).bytes, kOf16 + kRow / 2 + kOf32);
    EXPECT_EQ(work_of("aten::mul", shapes, types(1, "\"long int\"")).bytes, kOf16 + 2 * kRow + kOf16);
    EXPECT_EQ(work_of("aten::mul", "[[512, 4096], []]", types(1, "\"double\"")).bytes, 2 * kOf16 + 8)
        << "a single number of the same kind";
    EXPECT_EQ(work_of("aten::mul", "[[512, 4096], []]", R"(["int", "float"])").bytes, 2 * kOf32 + 4);
    const std::string_view where = "[[1024, 1024], [1024, 1024], [1024, 1024]]";
    EXPECT_EQ(work_of("aten::where", where, R"(["bool", "c10::BFloat16", "float"])").bytes,
              1024.0 * 1024 * (1 + 2 + 4 + 4));
    EXPECT_EQ(work_of("aten::_int_mm", "[[128, 256], [256, 512]]", R"(["signed char", "signed char"])").bytes,
              128.0 * 256 + 256 * 512 + 4 * 128 * 512);
}

TEST(TorchMore, ConversionsWriteTheTypeThatTheyTell) {
    const std::string_view shapes = "[[1024, 1024], [], [], [], [], [], []]";
    const std::string_view types = R"(["float", "Scalar", "", "", "", "Scalar", ""])";
    constexpr double kElements = 1024.0 * 1024;
    const auto to = [&](std::string_view values) { return work_of("aten::_to_copy", shapes, types, values); };
    EXPECT_EQ(to(R"(["", "15", "", "", "", "False", ""])").bytes, (4 + 2) * kElements);
    EXPECT_EQ(to(R"(["", "4", "", "", "", "False", ""])").bytes, (4 + 8) * kElements);
    const TorchWork same = to(R"(["", "", "", "", "", "False", ""])");
    EXPECT_EQ(same.bytes, (4 + 4) * kElements);
    EXPECT_EQ(same.evidence, Evidence::kShapes);
    EXPECT_EQ(to("").evidence, Evidence::kEstimate) << "values were not recorded";
}

TEST(TorchMore, QuantizedProducts) {
    const TorchWork cutlass =
        work_of("_C::cutlass_scaled_mm", "[[64, 512], [64, 1024], [1024, 512], [64, 1], [1, 512], []]",
                R"(["c10::BFloat16", "c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", ""])");
    EXPECT_EQ(cutlass.macs, 64.0 * 1024 * 512);
    EXPECT_EQ(cutlass.bytes, 64.0 * 1024 + 1024 * 512 + 2.0 * 64 * 512);
    const TorchWork int4 =
        work_of("aten::_weight_int4pack_mm", "[[1, 4096], [1376, 32, 32, 4], [], [32, 11008, 2]]",
                R"(["c10::BFloat16", "int", "Scalar", "c10::BFloat16"])");
    EXPECT_EQ(int4.macs, 4096.0 * 11008);
    EXPECT_EQ(int4.bytes, 2.0 * 4096 + 4096.0 * 11008 / 2 + 2.0 * 32 * 11008 * 2 + 2.0 * 11008);
    const TorchWork quant = work_of("_C::static_scaled_fp8_quant", "[[64, 1024], [64, 1024], [1]]",
                                    R"(["c10::Float8_e4m3fn", "c10::BFloat16", "float"])");
    EXPECT_EQ(quant.flops, 4.0 * 64 * 1024);
    EXPECT_EQ(quant.bytes, 3.0 * 64 * 1024 + 4);
}

TEST(TorchMore, AttentionOverPackedSequencesAndOfOtherBackends) {
    const std::string_view packed = R"(["", "", "", "", "", "512", "512", "0.", "0.125", "True"])";
    const TorchWork varlen =
        work_of("flash_attn::_flash_attn_varlen_forward",
                "[[1024, 16, 64], [1024, 16, 64], [1024, 16, 64], [3], [3], [], [], [], [], []]",
                types(3, R"("int", "int", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar")"), packed);
    EXPECT_EQ(varlen.macs, 2.0 * 16 * (512.0 * 513 / 2) * 2 * 64) << "two sequences of 512, each causal";
    EXPECT_EQ(varlen.evidence, Evidence::kShapes) << "both are as long as the longest";
    const TorchWork uneven =
        work_of("flash_attn::_flash_attn_varlen_forward",
                "[[1024, 16, 64], [1024, 16, 64], [1024, 16, 64], [3], [3], [], [], [], [], []]",
                types(3, R"("int", "int", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar")"),
                R"(["", "", "", "", "", "600", "600", "0.", "0.125", "True"])");
    EXPECT_EQ(uneven.macs, varlen.macs);
    EXPECT_EQ(uneven.evidence, Evidence::kEstimate);
    const TorchWork other =
        work_of("aten::_scaled_dot_product_fused_attention_overrideable",
                "[[2, 16, 512, 64], [2, 16, 512, 64], [2, 16, 512, 64], [], [], []]",
                types(3, R"("", "Scalar", "Scalar")"), R"(["", "", "", "", "0.", "False"])");
    EXPECT_EQ(other.macs, 2.0 * 16 * 512 * 512 * 2 * 64);
}

// As SGLang calls AITER on a MI300X.
TEST(TorchMore, AttentionOverPagesOfACache) {
    const auto prefill = [](std::string_view cache, std::string_view pages, std::string_view longest) {
        return work_of(
            "aiter::mha_batch_prefill",
            fmt::format("[[15360, 32, 128], {0}, {0}, [16], [16], [{1}], [], [], [], [], [], [], []]", cache,
                        pages),
            types(3, R"("int", "int", "int", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", )"
                     R"("Scalar")"),
            fmt::format(R"(["", "", "", "", "", "", {}, "0.", "0.088", "0.", "False", "True"])", longest));
    };
    const TorchWork whole = prefill("[835874, 8, 128]", "15616", R"("1024", "1024")");
    EXPECT_EQ(whole.macs, 15.0 * 32 * (1024.0 * 1025 / 2) * 2 * 128) << "15 sequences of 1024 tokens";
    EXPECT_EQ(whole.bytes, 2.0 * 15360 * (32 + 32 + 8 + 8) * 128) << "the cache counts as far as it is read";
    EXPECT_EQ(whole.evidence, Evidence::kShapes);
    const TorchWork paged = prefill("[4096, 16, 8, 128]", "1920", R"("1024", "2048")");
    EXPECT_EQ(paged.macs, 15.0 * 32 * (1024.0 * 1025 / 2 + 1024.0 * 1024) * 2 * 128)
        << "with 1024 tokens before";
    EXPECT_EQ(paged.evidence, Evidence::kEstimate);
    EXPECT_FALSE(prefill("[835874, 8, 128]", "15616", R"("", "")").counted()) << "lengths are not told";
    const TorchWork one =
        work_of("aiter::fmha_v3_fwd", "[[1, 768, 24, 128], [1, 768, 24, 128], [1, 768, 24, 128], [], [], []]",
                types(3, R"("Scalar", "Scalar", "Scalar")"), R"(["", "", "", "0.", "0.088", "False"])");
    EXPECT_EQ(one.macs, 24.0 * 768 * 768 * 2 * 128);
}

TEST(TorchMore, BagsAndPlaces) {
    const TorchWork bag = work_of("aten::_embedding_bag", "[[100000, 64], [4096], [512]]",
                                  R"(["float", "long int", "long int"])");
    EXPECT_EQ(bag.flops, 4096.0 * 64);
    EXPECT_EQ(bag.bytes, 4.0 * 64 * (4096 + 512) + 8.0 * (4096 + 512));
    const TorchWork put = work_of("aten::index_put_", "[[6, 2048], [], [6744], []]",
                                  R"(["float", "", "float", "Scalar"])", R"(["", "", "", "True"])");
    EXPECT_EQ(put.flops, 6744);
    EXPECT_EQ(put.bytes, 3 * 4.0 * 6744);
    EXPECT_FALSE(work_of("aten::index_put_", "[[6, 2048], [], [], []]", R"(["float", "", "float", "Scalar"])")
                     .counted())
        << "one number at the places of a mask";
}

// Of a kernel that takes a slice its arguments are not all read.
TEST(TorchMore, FusedKernelsMoveWhatTheyTouch) {
    const std::string_view argument_types = R"(["float", "c10::BFloat16", "Scalar"])";
    const TorchWork told = work_of("triton_poi_fused__to_copy_slice_1", "[[64, 4096], [64, 256], []]",
                                   argument_types, R"(["", "", "16384"])");
    EXPECT_EQ(told.bytes, 16384.0 * (4 + 2));
    const TorchWork quiet =
        work_of("triton_poi_fused__to_copy_slice_1", "[[64, 4096], [64, 256], []]", argument_types);
    EXPECT_EQ(quiet.bytes, 16384.0 * (4 + 2));
    const TorchWork whole =
        work_of("triton_poi_fused_add_1", "[[64, 4096], [64, 4096]]", R"(["float", "float"])");
    EXPECT_EQ(whole.bytes, 2.0 * 4 * 64 * 4096);
}

TEST(TorchMore, GradientsOfDataAndWeightsByName) {
    EXPECT_EQ(torch_gradient("aten::cudnn_convolution_backward_input"), TorchGradient::kData);
    EXPECT_EQ(torch_gradient("aten::cudnn_convolution_backward_weight"), TorchGradient::kWeights);
    EXPECT_EQ(torch_gradient("sm80_xmma_dgrad_implicit_gemm_tf32f32"), TorchGradient::kData);
    EXPECT_EQ(torch_gradient("cudnn::cnn::wgrad2d_grouped_direct_kernel"), TorchGradient::kWeights);
    EXPECT_EQ(torch_gradient("nchwToNhwcKernel"), TorchGradient::kUnspecified);
}

// Of 4096 x 50257 gradients the kernel writes one in each row; that the others are zero counts where it is
// done.
TEST(TorchMore, TheLossOfClassesTouchesOneValueOfEachRow) {
    const TorchWork back = work_of("aten::nll_loss_backward", "[[], [4096, 50257], [4096], [], [], [], []]",
                                   R"(["float", "float", "long int", "", "Scalar", "Scalar", "float"])");
    EXPECT_EQ(back.bytes, 4096.0 * (8 + 4));
    EXPECT_EQ(back.flops, 4096);
}

// 16384 tokens of two types read two rows of the table, and their gradients reach no more.
TEST(TorchMore, OfATableAtMostAllIsRead) {
    const std::string_view types = R"(["float", "long int", "Scalar", "Scalar", "Scalar"])";
    const double tokens = 32 * 512, row = 4 * 768;
    const TorchWork few = work_of("aten::embedding", "[[2, 768], [32, 512], [], [], []]", types);
    EXPECT_EQ(few.bytes, 2 * row + tokens * row + tokens * 8);
    const TorchWork many = work_of("aten::embedding", "[[50257, 768], [32, 512], [], [], []]", types);
    EXPECT_EQ(many.bytes, 2 * tokens * row + tokens * 8);
    const TorchWork back =
        work_of("aten::embedding_dense_backward", "[[32, 512, 768], [32, 512], [], [], []]", types,
                R"(["", "", "50257", "-1", "False"])");
    EXPECT_EQ(back.bytes, tokens * row + tokens * 8) << "no zeros of other rows";
}

// Runtimes of networks tell what came out, behind their arguments.
TEST(RuntimeNodes, CountByTheirSizes) {
    const std::string_view three = R"(["float", "float", "float"])";
    const auto conv = [&](std::string_view name) {
        return work_of(name, "[[2, 8, 32, 32], [16, 4, 3, 3], [16]]", three,
                       R"(["", "", "", "-> float[2, 16, 16, 16]"])");
    };
    for (const std::string_view name : {"Conv", "CUDA::Conv", "FusedConv", "onednn::convolution"}) {
        const TorchWork work = conv(name);
        EXPECT_EQ(work.macs, 2.0 * 16 * 16 * 16 * 4 * 9) << name << ", of two groups";
        EXPECT_EQ(work.matrix_flops, 2 * work.macs + 2.0 * 2 * 16 * 16 * 16) << name;
        EXPECT_EQ(work.bytes, 4.0 * (2 * 8 * 32 * 32 + 16 * 4 * 9 + 16 + 2 * 16 * 16 * 16)) << name;
    }
    const auto gemm = [&](std::string_view first) {
        return work_of("Gemm", fmt::format("[{}, [64, 10]]", first), R"(["float", "float"])",
                       R"(["", "", "-> float[3, 10]"])");
    };
    EXPECT_EQ(gemm("[3, 64]").macs, 3.0 * 64 * 10);
    EXPECT_EQ(gemm("[64, 3]").macs, 3.0 * 64 * 10) << "turned";
    const TorchWork rows =
        work_of("Gather", "[[50000, 64], [5]]", R"(["float", "int64"])", R"(["", "", "-> float[5, 64]"])");
    EXPECT_EQ(rows.bytes, 4.0 * 2 * 5 * 64 + 8 * 5) << "no whole table";
    EXPECT_EQ(rows.kind, WorkKind::kMove);
    const TorchWork pooled = work_of("trt::max_pooling", "[[1, 8, 32, 32], []]", R"(["int8", ""])",
                                     R"(["", "[3, 3]", "-> int8[1, 8, 16, 16]", "run by TiledPooling"])");
    EXPECT_EQ(pooled.flops, 9.0 * 8 * 16 * 16);
    const TorchWork reordered = work_of("onednn::reorder", "[[2, 64, 8, 8]]", R"(["f32"])",
                                        R"(["", "-> bf16[2, 64, 8, 8]", "jit:uni"])");
    EXPECT_EQ(reordered.bytes, (4.0 + 2) * 2 * 64 * 8 * 8);
    for (const std::string_view name : {"onednn::inner_product", "onednn_gpu::inner_product_backward"}) {
        const TorchWork inner = work_of(name, "[[8, 4, 2, 3], [5, 4, 2, 3]]", R"(["bf16", "s4"])",
                                        R"(["", "", "-> f32[8, 5]", "jit:gemm"])");
        EXPECT_EQ(inner.macs, 8.0 * 5 * 4 * 2 * 3) << name;
        EXPECT_EQ(inner.bytes, 2.0 * 8 * 24 + 0.5 * 5 * 24 + 4.0 * 8 * 5) << name;
    }
}

TEST(RuntimeNodes, CountNothingWhereSizesDoNotTell) {
    const std::string_view one = R"(["float"])", out = R"(["", "-> float[1, 8, 16, 16]"])";
    EXPECT_FALSE(work_of("Conv", "[[2, 8, 32, 32], [16, 4, 3, 3]]", R"(["float", "float"])").counted());
    EXPECT_FALSE(work_of("trt::max_pooling", "[[1, 8, 32, 32]]", one, out).counted()) << "its window";
    EXPECT_FALSE(work_of("MaxPool", "[[1, 8, 32, 32]]", one, out).counted());
    EXPECT_FALSE(work_of("Reshape", "[[1, 8, 256]]", one, out).counted())
        << "nothing runs, or who knows what";
    EXPECT_FALSE(work_of("onednn::inner_product", "[[8, 4, 2, 3], [5, 4, 3, 3]]", R"(["f32", "f32"])",
                         R"(["", "", "-> f32[8, 5]"])")
                     .counted());
    EXPECT_FALSE(work_of("trt::layer", "[[1, 8, 32, 32]]", one, out).counted());
    EXPECT_FALSE(work_of("Relu", "[[1, 8, 16, 16]]", one, R"(["", "-> [1, 8, 16, 16]"])").counted());
}

}  // namespace
}  // namespace opsight::cost
