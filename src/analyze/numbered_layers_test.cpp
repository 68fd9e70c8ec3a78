#include "analyze/numbered_layers.h"

#include <gtest/gtest.h>

#include <functional>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

TEST(NumberedLayers, AreTheNumbersBehindAWordForALayer) {
    EXPECT_EQ(layer_number("FSDP::pre_forward (block.14)"), 14);
    EXPECT_EQ(layer_number("model/layers/3/attention"), 3);
    EXPECT_EQ(layer_number("Encoder_7"), 7);
    EXPECT_EQ(layer_number("h.11.mlp"), 11);
    EXPECT_EQ(layer_number("step 3"), std::nullopt);
    EXPECT_EQ(layer_number("decoder 3"), std::nullopt);
    EXPECT_EQ(layer_number("stage 3"), std::nullopt);
    EXPECT_EQ(layer_number("stage.3"), 3);
    EXPECT_EQ(layer_number("batch.3"), std::nullopt);
    EXPECT_EQ(layer_number("multilayer3"), std::nullopt);
    EXPECT_EQ(layer_number("layer 99999999999999999999"), std::nullopt);
    EXPECT_EQ(layer_number("3"), std::nullopt);
    EXPECT_EQ(layer_number(""), std::nullopt);
}

// Twelve equal stretches, each with a range of this name.
Analysis analysis_of(const std::function<std::string(int64_t)>& name) {
    TestProfile t;
    for (int64_t i = 0; i < 12; ++i) {
        const int64_t at = 10'000 * i;
        t.annotation(name(i), at, 9'000, t.thread());
        for (int64_t k = 0; k < 4; ++k) {
            t.api("cudaLaunchKernel", at + 100 + 2000 * k, 10, t.thread(), 4 * i + k + 1);
            t.kernel("kernel" + std::to_string(k), at + 200 + 2000 * k, 1'000, t.stream(), 4 * i + k + 1);
        }
    }
    Profile profile = t.finish();
    return analyze(profile, {});
}

TEST(NumberedLayers, BlocksOfOnePassAreNoIterations) {
    EXPECT_TRUE(analysis_of([](int64_t i) {
                    return "forward (block." + std::to_string(i) + ")";
                }).iterations.list.empty());
    EXPECT_EQ(analysis_of([](int64_t) { return std::string("forward (block.3)"); }).iterations.list.size(),
              12u);
    EXPECT_EQ(analysis_of([](int64_t i) { return "part " + std::to_string(i); }).iterations.list.size(), 12u);
}

}  // namespace
}  // namespace opsight::analyze
