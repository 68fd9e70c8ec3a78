#include "analyze/counted_work.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "cost/op_work.h"

namespace opsight::analyze {
namespace {

constexpr double kMm = 2.0 * 512 * 1024 * 4096;

class CountedWorkTest : public ::testing::Test {
  protected:
    OpDetail detail(std::string_view shapes, std::string_view dtypes, std::string_view concrete = "") {
        OpDetail detail;
        detail.signature = t.builder.signature(
            {t.builder.text(shapes), t.builder.text(dtypes), t.builder.text(concrete), t.builder.text("")});
        return detail;
    }
    OpDetail mm(std::string_view type = "float") {
        const std::string types = R"([")" + std::string(type) + R"(", ")" + std::string(type) + R"("])";
        return detail("[[512, 1024], [1024, 4096]]", types);
    }
    OpDetail linear() { return detail("[[512, 1024], [4096, 1024], []]", R"(["float", "float", ""])"); }
    void launch(std::string_view kernel, int64_t at, int64_t dur) {
        t.api("cudaLaunchKernel", at, 2, t.thread(), ++correlation);
        t.kernel(kernel, 1000 + at, dur, t.stream(), correlation);
    }
    void run() {
        profile = t.finish();
        analysis = analyze(profile, {.threads = 1});
    }
    double flops() const {
        double sum = 0;
        for (size_t span = 0; span < profile.device.size(); ++span)
            if (const int32_t work = analysis.span_work[span]; work >= 0)
                sum += analysis.span_share[span] * analysis.works[static_cast<size_t>(work)].flops;
        return sum;
    }
    const CountedWork& work(size_t span) const {
        return analysis.works[static_cast<size_t>(analysis.span_work[span])];
    }

    TestProfile t;
    int64_t correlation = 0;
    Profile profile;
    Analysis analysis;
};

TEST_F(CountedWorkTest, ParentAndChildCountOnce) {
    t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    t.op("aten::linear", 0, 100, t.thread(), linear());
    t.op("aten::mm", 10, 50, t.thread(), mm());
    launch("gemm_a", 20, 300);
    launch("gemm_b", 30, 100);
    run();
    EXPECT_DOUBLE_EQ(flops(), kMm);
    EXPECT_DOUBLE_EQ(analysis.span_share[0], 0.75);  // by time
    EXPECT_DOUBLE_EQ(analysis.span_share[1], 0.25);
    EXPECT_EQ(profile.strings.view(work(0).name), "aten::mm");
}

TEST_F(CountedWorkTest, AParentCountsForChildrenWithoutFormula) {
    t.op("aten::linear", 0, 100, t.thread(), linear());
    t.op("my::gemm", 10, 50, t.thread());
    launch("gemm", 20, 300);
    // Beside the product an elementwise op counts its own.
    t.op("aten::add_", 70, 20, t.thread(),
         detail("[[512, 4096], [4096], []]", R"(["float", "float", "Scalar"])"));
    launch("add", 75, 50);
    run();
    EXPECT_DOUBLE_EQ(flops(), kMm + 512 * 4096);
    EXPECT_EQ(profile.strings.view(work(0).name), "aten::linear");
}

// Ranges of old profilers name the ops within a call, and have no arguments.
TEST_F(CountedWorkTest, WhatAddsDoesNoProducts) {
    t.op("linear", 0, 100, t.thread(), linear());
    t.op("mm", 10, 30, t.thread());
    launch("gemm", 20, 300);
    t.op("add_", 50, 40, t.thread());
    launch("add", 60, 300);
    run();
    EXPECT_DOUBLE_EQ(analysis.span_share[0], 1);
    EXPECT_EQ(analysis.span_work[1], -1) << "of the bias nothing is told";
}

TEST_F(CountedWorkTest, AGraphDoesTheWorkOfItsCaptureAtEachLaunch) {
    t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    const TrackId thread = t.thread();
    t.op("aten::linear", 0, 100, thread, linear());
    t.op("aten::mm", 10, 50, thread, mm());  // launches nothing while it is captured
    t.builder.add_graph_node({thread, 20, 10});
    t.builder.add_graph_node({thread, 30, 11});
    t.op("aten::mm", 200, 50, thread, mm());  // replays the graph twice
    for (const int64_t at : {210, 230}) {
        t.api("cudaGraphLaunch", at, 5, thread, at);
        for (const int64_t node : {10, 11}) {
            t.kernel("gemm", 1000 + 10 * at + 50 * node, node == 10 ? 300 : 100, t.stream(), at);
            DeviceExtra extra;
            extra.graph_node = node;
            t.builder.extend_device(extra);
        }
    }
    run();
    EXPECT_DOUBLE_EQ(flops(), 2 * kMm);
    EXPECT_DOUBLE_EQ(analysis.span_share[0], 0.75);
    EXPECT_DOUBLE_EQ(analysis.span_share[1], 0.25);
    EXPECT_EQ(profile.strings.view(work(0).name), "aten::mm");
}

// The gradients of data and weights are as much work each, however long their kernels took.
TEST_F(CountedWorkTest, GradientsOfDataAndWeightsHaveHalfEach) {
    t.op(
        "aten::convolution_backward", 0, 100, t.thread(),
        detail(
            "[[1, 64, 56, 56], [1, 64, 56, 56], [64, 64, 3, 3], [], [], [], [], [], [], [], []]",
            R"(["float", "float", "float", "", "ScalarList", "", "", "", "", "", "ScalarList"])",
            R"(["", "", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"])"));
    launch("sm80_xmma_dgrad_implicit_gemm", 20, 300);
    launch("nchwToNhwcKernel", 25, 50);
    launch("sm80_xmma_wgrad_implicit_gemm", 30, 75);
    launch("cudnn_wgrad_reduce", 40, 25);
    run();
    EXPECT_DOUBLE_EQ(analysis.span_share[0], 0.5);
    EXPECT_DOUBLE_EQ(analysis.span_share[1], 0);
    EXPECT_DOUBLE_EQ(analysis.span_share[2], 0.375);
    EXPECT_DOUBLE_EQ(analysis.span_share[3], 0.125);
}

TEST_F(CountedWorkTest, OpsOfTheProcessorHaveItsBound) {
    t.builder.info().properties = {{"cpu_cores", "4"},
                                   {"cpu_clock_hz", "2000000000"},
                                   {"cpu_features", "fma avx512f"},
                                   {"cpu_vendor", "GenuineIntel"},
                                   {"cpu_family", "6"},
                                   {"cpu_model_number", "143"}};
    t.op("aten::mm", 0, 1'000'000, t.thread(), mm());
    run();
    ASSERT_EQ(analysis.works.size(), 1U);
    const CountedWork& only = analysis.works[0];
    EXPECT_TRUE(only.bounded);
    EXPECT_TRUE(only.estimate);
    EXPECT_NEAR(only.bound_ns, kMm / (4 * 2.0 * 64), 1);  // FLOP / (cores × GHz × FLOP per clock)
    EXPECT_NEAR(only.memory_ns, only.bytes / 307.2, 1);
}

TEST_F(CountedWorkTest, OfAnUnknownProcessorThereIsNoBound) {
    t.op("aten::mm", 0, 1'000'000, t.thread(), mm());
    run();
    ASSERT_EQ(analysis.works.size(), 1U);
    EXPECT_FALSE(analysis.works[0].bounded);
}

TEST_F(CountedWorkTest, WhatHasNoFormulaIsNotCounted) {
    t.op("my::op", 0, 100, t.thread(), mm());
    launch("kernel", 20, 300);
    run();
    EXPECT_EQ(analysis.span_work[0], -1);
    EXPECT_TRUE(analysis.works.empty());
}

TEST_F(CountedWorkTest, NamesOfKernelsTellWhetherFp32RanInTf32) {
    t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    t.op("aten::mm", 0, 50, t.thread(), mm());
    launch("ampere_sgemm_128x64_nn", 20, 300);
    t.op("aten::mm", 60, 50, t.thread(), mm());
    launch("ampere_tf32_s1688gemm_128x64_nn", 70, 300);
    run();
    EXPECT_EQ(work(0).precision, hardware::Precision::kFp32);
    EXPECT_EQ(work(1).precision, hardware::Precision::kTf32);
    ASSERT_TRUE(work(0).bounded && work(1).bounded);
    EXPECT_NEAR(work(0).bound_ns, kMm / 19.5e12 * 1e9, 0.01 * work(0).bound_ns);
    EXPECT_NEAR(work(1).bound_ns, kMm / 156e12 * 1e9, 0.01 * work(1).bound_ns);
}

// Volta multiplies FP32 on its matrix units in no kernel that does not say so.
TEST_F(CountedWorkTest, OfADeviceWithoutTf32KernelsWhoseNamesDoNotTellRunInFp32) {
    t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    t.op("aten::mm", 0, 50, t.thread(), mm());
    launch("void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>", 20, 300);
    t.op("aten::mm", 60, 50, t.thread(), mm());
    launch("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", 70, 300);
    run();
    EXPECT_EQ(work(0).precision, hardware::Precision::kFp32);
    EXPECT_EQ(work(0).note.find("TF32"), std::string::npos) << work(0).note;
    EXPECT_EQ(work(1).precision, hardware::Precision::kFp16);
}

TEST_F(CountedWorkTest, WhatBoundsIsSaidOnlyWhereThereIsABound) {
    for (const char* device : {"NVIDIA A100-SXM4-40GB", "Some accelerator"}) {
        t = TestProfile();
        t.gpu(0, device, 8, 0);
        t.op("aten::mm", 0, 50, t.thread(), mm());
        launch("somebodys_kernel", 20, 300);
        run();
        EXPECT_EQ(work(0).note.empty(), !work(0).bounded) << device;
    }
}

// AMD's matrix cores multiply FP32 as it is, too: not at the rate of FP16 or XF32.
TEST_F(CountedWorkTest, Fp32ProductsOfTensileAreBoundedByTheFp32Peak) {
    t.gpu(0, "AMD Instinct MI250X", 9, 0);
    t.op("aten::mm", 0, 50, t.thread(), mm());
    launch("Cijk_Ailk_Bljk_SB_MT128x128x16_MI32x32x2x1_SN_1LDSB0", 20, 300);
    t.op("aten::mm", 60, 50, t.thread(), mm());
    launch("Cijk_Ailk_Bljk_S_MX_B_MT128x128x16_MI32x32x2x1_SN", 70, 300);
    run();
    EXPECT_EQ(work(0).precision, hardware::Precision::kFp32);
    EXPECT_NE(work(1).precision, hardware::Precision::kFp32);
    EXPECT_LT(work(1).bound_ns, work(0).bound_ns);
}

TEST_F(CountedWorkTest, UnknownDevicesAreDerivedOrHaveNoBound) {
    Device& known = t.gpu(0, "NVIDIA A100-PG509-200", 8, 0);
    known.sm_count = 108;
    known.memory_bytes = int64_t{40} << 30;
    Device& amd = t.gpu(1, "AMD Radeon Graphics", 9, 0);
    amd.warp_size = 64;
    t.op("aten::mm", 0, 50, t.thread(), mm());
    launch("kernel", 20, 300);
    run();
    ASSERT_EQ(analysis.peaks.size(), 2u);
    EXPECT_EQ(analysis.peaks[0].source, PeakSource::kDerived);
    EXPECT_TRUE(analysis.peaks[0].model.derived);
    EXPECT_GT(analysis.peaks[0].model.bandwidth, 1e12);
    EXPECT_EQ(analysis.peaks[1].source, PeakSource::kNone);
}

// One rule for bounds of networks and of profiles.
TEST_F(CountedWorkTest, ProductsHaveTheHighestPeakThatAProgramCanChoose) {
    Device& card = t.gpu(0, "NVIDIA GeForce RTX 4090", 8, 9);
    card.sm_count = 128;
    t.op("aten::mm", 0, 50, t.thread(), mm("c10::Half"));
    launch("kernel", 20, 300);
    run();
    const hardware::Peak* peak =
        analysis.peaks[0].model.peak(hardware::UnitKind::kMatrix, hardware::Precision::kFp16);
    ASSERT_TRUE(peak && work(0).bounded);
    EXPECT_NEAR(work(0).math_ns, kMm / (2 * peak->dense) * 1e9, 1e-6);
    EXPECT_NE(analysis.peaks[0].model.note.find("added up in FP16"), std::string::npos);
}

TEST_F(CountedWorkTest, ASlowFormatIsBoundedByAWiderOne) {
    t.gpu(0, "NVIDIA GeForce GTX 1080 Ti", 6, 1);
    t.op("aten::mm", 0, 50, t.thread(), mm("c10::Half"));
    launch("kernel", 20, 300);
    run();
    const hardware::Peak* peak =
        analysis.peaks[0].model.peak(hardware::UnitKind::kVector, hardware::Precision::kFp32);
    ASSERT_TRUE(peak && work(0).bounded);
    EXPECT_NEAR(work(0).math_ns, kMm / peak->dense * 1e9, 1e-6);
    EXPECT_EQ(work(0).precision, hardware::Precision::kFp32) << "whose peak bounds the products";
    EXPECT_NE(analysis.peaks[0].model.note.find("no source gives: units, clock_mhz"), std::string::npos);
}

TEST_F(CountedWorkTest, ADeviceThatIsNotDescribedIsLikeTheOthers) {
    t.gpu(3, "NVIDIA A100-SXM4-40GB", 8, 0);
    t.op("aten::mm", 0, 50, t.thread(), mm());
    launch("kernel", 20, 300);  // on device 0
    run();
    ASSERT_EQ(analysis.peaks.size(), 2u);
    EXPECT_EQ(analysis.peaks[0].source, PeakSource::kTable);
    EXPECT_EQ(analysis.peaks[1].source, PeakSource::kDerived);
    EXPECT_TRUE(work(0).bounded);
}

TEST_F(CountedWorkTest, AnOpThatLaunchesCountsBesideWhatItCalls) {
    t.op("aten::mse_loss", 0, 100, t.thread(),
         detail("[[64, 32], [64, 32], []]", R"(["float", "float", "Scalar"])"));
    launch("difference", 5, 50);
    t.op("aten::sum", 20, 50, t.thread(), detail("[[64, 32]]", R"(["float"])"));
    launch("reduce", 30, 50);
    run();
    EXPECT_DOUBLE_EQ(flops(), 64 * 32 * (2 + 1));
}

TEST_F(CountedWorkTest, ForwardOpsInsideOfBackwardOnesComputeAgain) {
    t.op("aten::mm", 0, 50, t.thread(), mm());
    launch("gemm", 20, 300);
    t.op("autograd::engine::evaluate_function: CheckpointFunctionBackward", 100, 100, t.thread(2));
    t.op("CheckpointFunctionBackward", 105, 90, t.thread(2));
    t.op("aten::mm", 110, 50, t.thread(2), mm());
    t.api("cudaLaunchKernel", 120, 2, t.thread(2), 77);
    t.kernel("gemm", 2000, 300, t.stream(), 77);
    run();
    EXPECT_EQ(work(0).recomputed_flops, 0);
    const bool forward = analysis.ops[analysis.device_op[1].index()].direction == Direction::kForward;
    EXPECT_EQ(work(1).recomputed_flops, forward ? kMm : 0);
    EXPECT_TRUE(forward);
}

TEST_F(CountedWorkTest, CheckpointsThatAreNotReentrantComputeAgainToo) {
    OpDetail numbered = mm();
    numbered.sequence = 70;
    t.op("ReluBackward0", 100, 100, t.thread(2), {.sequence = 2, .forward_thread = 1});
    t.op("aten::mm", 110, 20, t.thread(2), numbered);
    t.api("cudaLaunchKernel", 120, 2, t.thread(2), 77);
    t.kernel("gemm", 2000, 300, t.stream(), 77);
    t.op("aten::mm", 150, 20, t.thread(2), mm());
    t.api("cudaLaunchKernel", 155, 2, t.thread(2), 78);
    t.kernel("gemm", 3000, 300, t.stream(), 78);
    run();
    EXPECT_EQ(work(0).recomputed_flops, kMm);
    EXPECT_EQ(work(1).recomputed_flops, 0);
}

TEST_F(CountedWorkTest, CopiesHaveTheirOwnBytes) {
    t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    t.op("aten::copy_", 0, 50, t.thread());
    t.api("cudaMemcpyAsync", 10, 5, t.thread(), 1);
    DeviceSpan copy;
    copy.begin = 1000;
    copy.dur = 100;
    copy.track = t.stream();
    copy.kind = DeviceKind::kMemcpy;
    copy.correlation = 1;
    copy.bytes = 4096;
    copy.transfer = t.builder.transfer(transfer_of_name("Memcpy DtoD (Device -> Device)"));
    t.device(copy, "Memcpy DtoD (Device -> Device)");
    run();
    EXPECT_EQ(analysis.span_share[0], 4096);
    EXPECT_EQ(work(0).bytes, 2);  // read and written
    EXPECT_TRUE(work(0).bounded);
}

// Seen in an export of Nsight Systems.
TEST_F(CountedWorkTest, SetsFasterThanAnyCacheHaveNoBound) {
    t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
    for (const int64_t bytes : {int64_t{4'000'000'000}, int64_t{1'000'000}}) {
        DeviceSpan set;
        set.begin = 10'000 + bytes;
        set.dur = 1120;
        set.track = t.stream();
        set.name = t.builder.text("Memset (Device)");
        set.kind = DeviceKind::kMemset;
        set.bytes = bytes;
        t.builder.add_device(set);
    }
    run();
    for (size_t span = 0; span < 2; ++span) {
        const bool slow = profile.device.bytes[span] == 1'000'000;
        EXPECT_EQ(work(span).bounded, slow);
        EXPECT_EQ(work(span).believed, slow);
        EXPECT_GT(work(span).memory_ns, 0);
        EXPECT_EQ(work(span).note.empty(), slow);
        EXPECT_EQ(analysis.span_share[span], static_cast<double>(profile.device.bytes[span]));
    }
}

TEST_F(CountedWorkTest, WithoutDeviceWorkSelfTimesAreShared) {
    t.op("aten::linear", 0, 100, t.thread(), linear());
    t.op("aten::mm", 10, 50, t.thread(), mm());
    t.op("my::inner", 20, 10, t.thread());
    run();
    double sum = 0;
    for (size_t i = 0; i < analysis.self_work.size(); ++i)
        if (analysis.self_work[i] >= 0)
            sum += analysis.self_share[i] * analysis.works[static_cast<size_t>(analysis.self_work[i])].flops;
    EXPECT_DOUBLE_EQ(sum, kMm);
    EXPECT_FALSE(analysis.works[0].bounded);
    // 40 ns of the product's own and 10 under it; the outer op's 50 ns are nobody's.
    const uint32_t inner = profile.host.detail[host_row(profile, "my::inner")];
    EXPECT_DOUBLE_EQ(analysis.self_share[inner], 0.2);
    EXPECT_EQ(analysis.self_work[profile.host.detail[host_row(profile, "aten::linear")]], -1);
}

}  // namespace
}  // namespace opsight::analyze
