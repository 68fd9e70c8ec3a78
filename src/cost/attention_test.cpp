// Attention over a cache, experts, spectra and equations of networks.
#include <gtest/gtest.h>

#include <cmath>

#include "cost/test_network.h"

namespace opsight::cost {
namespace {

TEST(Formulas, GroupQueryAttentionOverACache) {
    Maker maker;
    const TensorId q = maker.input({2, 1, 32 * 128}, ElementType::kFloat16);
    const TensorId k = maker.weight({2, 1, 8 * 128}, ElementType::kFloat16);
    const TensorId out = maker.node("GroupQueryAttention", {q, k, k}, {2, 1, 4096},
                                    {{"num_heads", int64_t{32}}, {"kv_num_heads", int64_t{8}}});
    maker.graph.nodes.back().outputs.push_back(maker.add({2, 8, 1024, 128}, ElementType::kFloat16));
    const Estimate decode = estimate(maker.done(out));
    EXPECT_EQ(decode.total.macs(), 2.0 * 32 * 1024 * 2 * 128) << "one query sees all keys";
    maker.graph.nodes.back().attributes["local_window_size"] = int64_t{256};
    EXPECT_EQ(estimate(maker.graph).total.macs(), 2.0 * 32 * 256 * 2 * 128);

    Maker prompt;  // queries, keys and values in one
    const TensorId x = prompt.input({1, 64, (32 + 16) * 128});
    const TensorId y = prompt.node("GroupQueryAttention", {x, kNoTensor, kNoTensor}, {1, 64, 4096},
                                   {{"num_heads", int64_t{32}}, {"kv_num_heads", int64_t{8}}});
    EXPECT_EQ(estimate(prompt.done(y)).total.macs(), 32.0 * (64 * 65 / 2) * 2 * 128) << "causal";
}

TEST(Formulas, ExpertsWorkOnTheRowsThatChoseThem) {
    for (const int64_t rows : {1, 64}) {
        Maker maker;
        const TensorId x = maker.input({rows, 1024}, ElementType::kFloat16);
        const TensorId router = maker.weight({rows, 8}, ElementType::kFloat16);
        const TensorId up = maker.weight({8, 1024, 4096}, ElementType::kFloat16);
        const TensorId down = maker.weight({8, 4096, 1024}, ElementType::kFloat16);
        const TensorId y =
            maker.node("MoE", {x, router, up, kNoTensor, down}, {rows, 1024}, {{"k", int64_t{2}}});
        const Estimate cost = estimate(maker.done(y));
        EXPECT_EQ(cost.total.macs(), static_cast<double>(rows) * 2 * 2 * 1024 * 4096);
        const double all = 2.0 * 2 * 8 * 1024 * 4096, router_bytes = 2.0 * 8 * static_cast<double>(rows);
        EXPECT_EQ(cost.layers[0].weight_bytes - router_bytes, rows == 1 ? all / 4 : all)
            << "one row reaches two of the eight";
    }
}

TEST(Formulas, DeformableConvolutionAndSpectra) {
    Maker deform;
    const TensorId x = deform.input({1, 64, 28, 28});
    const TensorId y = deform.node(
        "DeformConv", {x, deform.weight({64, 64, 3, 3}), deform.weight({1, 18, 28, 28})}, {1, 64, 28, 28});
    const Estimate cost = estimate(deform.done(y));
    EXPECT_EQ(cost.total.macs(), 28.0 * 28 * 64 * 64 * 9);
    EXPECT_EQ(cost.total.flops(), 2 * cost.total.macs() + 9.0 * 64 * 9 * 28 * 28);

    Maker spectra;
    const TensorId signal = spectra.input({1, 16000, 1});
    const TensorId out =
        spectra.node("STFT", {signal, spectra.weight({1}), spectra.weight({400})}, {1, 98, 201, 2});
    EXPECT_EQ(estimate(spectra.done(out)).total.flops(), 98 * (2.5 * 400 * std::log2(400.0) + 400));
}

TEST(Formulas, EquationsWithDots) {
    Maker maker;
    const TensorId a = maker.input({4, 8, 128, 64});
    const TensorId b = maker.weight({1, 64, 32});
    const TensorId y =
        maker.node("Einsum", {a, b}, {4, 8, 128, 32}, {{"equation", std::string("...ij,...jk->...ik")}});
    EXPECT_EQ(estimate(maker.done(y)).total.macs(), 4.0 * 8 * 128 * 64 * 32);
}

}  // namespace
}  // namespace opsight::cost
