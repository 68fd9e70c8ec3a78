#include "query/timeline/short_names.h"

#include <gtest/gtest.h>

namespace opsight::query {
namespace {

TEST(ShortNames, LeaveOutWhatManyNamesBeginWith) {
    EXPECT_EQ(short_event_name("Iteration 12 (warm-up)"), "12 (warm-up)");
    EXPECT_EQ(short_event_name("Iteration"), "Iteration");
    EXPECT_EQ(short_event_name("autograd::engine::evaluate_function: AddmmBackward0"), "AddmmBackward0");
    EXPECT_EQ(short_event_name("/usr/lib/torch/nn/module.py(1518): _call_impl"),
              "module.py(1518): _call_impl");
    EXPECT_EQ(short_event_name("a b/module.py(1518): _call_impl"), "a b/module.py(1518): _call_impl");
    EXPECT_EQ(short_event_name("module.py(1518): a/b"), "module.py(1518): a/b");
    EXPECT_EQ(short_event_name("nn.Module: Linear_0"), "Linear_0");
    EXPECT_EQ(short_event_name("aten::conv2d"), "conv2d");
    EXPECT_EQ(short_event_name("aten::"), "aten::");
}

TEST(ShortNames, OfKernelsAreTheirLabels) {
    for (const char* label : {"volta_sgemm", "vectorized_elementwise_kernel<CUDAFunctor_add<float>>"})
        EXPECT_EQ(short_event_name(label), label);
}

}  // namespace
}  // namespace opsight::query
