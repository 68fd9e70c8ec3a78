#include "analyze/device_facts.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

int32_t device_of(const Profile& profile, const Analysis& analysis, std::string_view op) {
    for (const OpWork& work : analysis.op_work)
        if (profile.strings.view(
                analysis.ops[analysis.op[profile.host.detail[work.span.index()]].index()].name) == op)
            return work.device;
    ADD_FAILURE() << "no work of " << op;
    return 0;
}

TEST(DeviceFacts, AnOpIsOfADeviceWhereAllOfItRanThere) {
    TestProfile t;
    t.op("both", 0, 1000);
    t.op("aten::mm", 10, 100);
    t.api("cudaLaunchKernel", 20, 10, t.thread(), 1);
    t.kernel("volta_h884gemm", 200, 50, t.stream(7, 0), 1);
    t.op("aten::add", 300, 100);
    t.api("cudaLaunchKernel", 310, 10, t.thread(), 2);
    t.kernel("add", 400, 50, t.stream(7, 1), 2);
    Profile profile = t.finish();
    const Analysis analysis = analyze(profile, {});
    const int32_t first = device_of(profile, analysis, "aten::mm"),
                  second = device_of(profile, analysis, "aten::add");
    EXPECT_GE(first, 0);
    EXPECT_GE(second, 0);
    EXPECT_NE(first, second);
    EXPECT_EQ(device_of(profile, analysis, "both"), OpWork::kSeveralDevices);
}

TEST(DeviceFacts, ACallsTimeCountsWithTheFirstOfItsWork) {
    TestProfile t;
    t.op("aten::add", 0, 100);
    t.api("cudaGraphLaunch", 10, 10, t.thread(), 1);
    for (int64_t i = 0; i < 3; ++i)
        t.kernel("add", 200 + i * 60, 50, t.stream(), 1);
    Profile profile = t.finish();
    const Analysis analysis = analyze(profile, {});
    ASSERT_EQ(analysis.device_flags.size(), 3u);
    EXPECT_TRUE(analysis.device_flags[0] & Analysis::kFirstOfLaunch);
    EXPECT_FALSE(analysis.device_flags[1] & Analysis::kFirstOfLaunch);
    EXPECT_FALSE(analysis.device_flags[2] & Analysis::kFirstOfLaunch);
}

TEST(DeviceFacts, WorkOfAnOpInsideOneThatCanUseTensorCoresIsMarked) {
    TestProfile t;
    t.gpu(0, "NVIDIA A100", 8, 0);
    t.op("aten::mm", 0, 500);
    t.op("aten::copy_", 10, 50);
    t.api("cudaLaunchKernel", 20, 10, t.thread(), 1);
    t.kernel("copy", 200, 50, t.stream(), 1);
    t.op("aten::copy_", 600, 50);
    t.api("cudaLaunchKernel", 610, 10, t.thread(), 2);
    t.kernel("copy", 700, 50, t.stream(), 2);
    Profile profile = t.finish();
    const Analysis analysis = analyze(profile, {});
    ASSERT_EQ(analysis.device_flags.size(), 2u);
    EXPECT_TRUE(analysis.device_flags[0] & Analysis::kInEligibleOp);
    EXPECT_FALSE(analysis.device_flags[1] & Analysis::kInEligibleOp);
}

// What holds no product could not use them because other kernels of its region do; inside a product's op it
// counts with the op.
TEST(DeviceFacts, AKernelWithoutAProductIsInNoEligibleOpThatWasOnlySeenToBe) {
    for (const auto& [op, marked] : {std::pair("Torch-Compiled Region: 0/0", false), {"aten::mm", true}}) {
        TestProfile t;
        t.gpu(0, "NVIDIA A100", 8, 0);
        t.op(op, 0, 500);
        int64_t id = 0;
        for (const char* kernel : {"triton_red_fused_sum_0", "ampere_h16816gemm", "triton_poi_fused_add_1",
                                   "some_kernel<float>", "triton_poi_fused_add_1"}) {
            ++id;
            t.api("cudaLaunchKernel", 20 * id, 10, t.thread(), id);
            t.kernel(kernel, 1000 * id, 50, t.stream(), id);
        }
        Profile profile = t.finish();
        const Analysis analysis = analyze(profile, {});
        ASSERT_EQ(analysis.device_flags.size(), 5u);
        for (const size_t without : {0u, 2u, 4u}) {
            EXPECT_EQ((analysis.device_flags[without] & Analysis::kInEligibleOp) != 0, marked) << op;
            EXPECT_TRUE(analysis.device_flags[without] & kHoldsNoProduct);
        }
        for (const size_t may : {1u, 3u}) {
            EXPECT_TRUE(analysis.device_flags[may] & Analysis::kInEligibleOp) << op;
            EXPECT_FALSE(analysis.device_flags[may] & kHoldsNoProduct);
        }
    }
}

}  // namespace
}  // namespace opsight::analyze
