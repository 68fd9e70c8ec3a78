#include "analyze/attribution.h"

#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

size_t device_row(const Profile& p, std::string_view name, size_t nth = 0) {
    for (size_t span = 0; span < p.device.size(); ++span)
        if (p.strings.view(p.device.name[span]) == name && nth-- == 0) return span;
    return SIZE_MAX;
}
std::string name_of(const Profile& p, HostSpanId span) {
    return span.valid() ? std::string(p.strings.view(p.host.name[span.index()])) : "-";
}
std::string device_op(const Profile& p, const Analysis& a, std::string_view kernel) {
    const OpId op = a.device_op[device_row(p, kernel)];
    return std::string(p.strings.view(a.ops[op.index()].name));
}

TEST(Attribution, CallThenInnermostOp) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.op("linear", 0, 100);
    t.op("addmm", 10, 80);
    t.api("cudaLaunchKernel", 20, 10, thread, 5);
    t.kernel("gemm", 40, 100, t.stream(), 5);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(name_of(p, a.launch[0]), "cudaLaunchKernel");
    EXPECT_EQ(name_of(p, a.launch_op[0]), "addmm");
    EXPECT_EQ(a.host_ns[0], 20);
    EXPECT_EQ(device_op(p, a, "gemm"), "addmm");
    EXPECT_EQ(p.diagnostics.count(Diag::kNoLaunch), 0);
}

// NVTX ranges of PyTorch's ops come without a word on who made them.
TEST(Attribution, OpsNameTheFrameworkWhereTheSourceDoesNot) {
    const auto frameworks = [](std::string_view op, std::vector<std::string> told) {
        TestProfile t;
        t.op(op, 0, 100);
        Profile p = t.finish();
        p.info.frameworks = std::move(told);
        analyze(p, {});
        return p.info.frameworks;
    };
    EXPECT_EQ(frameworks("aten::mm", {}), std::vector<std::string>{"PyTorch"});
    EXPECT_EQ(frameworks("aten::mm", {"PyTorch 2.1"}), std::vector<std::string>{"PyTorch 2.1"});
    EXPECT_EQ(frameworks("mm", {}), std::vector<std::string>{});
}

TEST(Attribution, OneCallLaunchesManySpans) {
    TestProfile t;
    t.op("replay", 0, 100);
    t.api("cudaGraphLaunch", 20, 10, t.thread(), 5);
    t.kernel("a", 40, 10, t.stream(7), 5);
    t.kernel("b", 50, 10, t.stream(8), 5);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(name_of(p, a.launch_op[0]), "replay");
    EXPECT_EQ(name_of(p, a.launch_op[1]), "replay");
    EXPECT_EQ(a.op_work.at(0).kernels, 2u);
}

TEST(Attribution, CorrelationIdsOfOtherRanksDoNotCount) {
    TestProfile t;
    t.op("first", 0, 100, t.thread());
    t.api("cudaLaunchKernel", 20, 10, t.thread(), 5);
    t.kernel("k0", 40, 10, t.stream(), 5);
    t.add_rank(1);
    t.op("second", 0, 100, t.thread());
    t.api("cudaLaunchKernel", 20, 10, t.thread(), 5);
    t.kernel("k1", 40, 10, t.stream(), 5);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(name_of(p, a.launch_op[device_row(p, "k0")]), "first");
    EXPECT_EQ(name_of(p, a.launch_op[device_row(p, "k1")]), "second");
    EXPECT_EQ(p.diagnostics.count(Diag::kDuplicateCorrelation), 0);
}

TEST(Attribution, WhatHasNoOpIsCountedAndNamed) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.annotation("ProfilerStep#3", 0, 1000, thread);
    t.annotation("my range", 100, 100, thread);
    t.api("cudaLaunchKernel", 110, 10, thread, 1);
    t.api("cudaMemcpyAsync", 310, 10, thread, 2);
    t.kernel("in range", 200, 10, t.stream(), 1);
    t.kernel("copy", 400, 10, t.stream(), 2, DeviceKind::kMemcpy);
    t.kernel("early", 0, 10, t.stream(), 99);
    t.kernel("no id", 20, 10, t.stream(), 0);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(device_op(p, a, "in range"), "my range");
    EXPECT_EQ(device_op(p, a, "copy"), "unassociated_cudaMemcpyAsync");
    EXPECT_EQ(device_op(p, a, "early"), "unattributed");
    EXPECT_EQ(device_op(p, a, "no id"), "unattributed");
    EXPECT_EQ(a.ops[a.device_op[device_row(p, "copy")].index()].direction, Direction::kOther);
    EXPECT_FALSE(a.launch_op[device_row(p, "in range")].valid()) << "an annotation is not an op";
    EXPECT_EQ(p.diagnostics.count(Diag::kNoLaunch), 2);
    EXPECT_EQ(p.diagnostics.count(Diag::kNoOpAtLaunch), 1) << "the copy: the range stands for an op";
    EXPECT_EQ(a.device_iteration[device_row(p, "copy")], 0) << "launched in the step";
    EXPECT_EQ(a.device_iteration[device_row(p, "early")], 0) << "no launch: by its own time";
}

TEST(Attribution, DuplicateIdsGoToTheLastCallBefore) {
    TestProfile t;
    t.op("first", 0, 100);
    t.api("cudaLaunchKernel", 10, 10, t.thread(), 5);
    t.op("second", 1000, 100);
    t.api("cudaLaunchKernel", 1010, 10, t.thread(), 5);
    t.kernel("k early", 50, 10, t.stream(), 5);
    t.kernel("k late", 1050, 10, t.stream(), 5);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(name_of(p, a.launch_op[device_row(p, "k early")]), "first");
    EXPECT_EQ(name_of(p, a.launch_op[device_row(p, "k late")]), "second");
    EXPECT_EQ(p.diagnostics.count(Diag::kDuplicateCorrelation), 2);
}

TEST(Attribution, ExternalIdIsOnlyACheck) {
    TestProfile t;
    t.op("named", 0, 100, t.thread(), {.external_id = 1});
    t.op("true", 200, 100, t.thread(), {.external_id = 2});
    t.api("cudaLaunchKernel", 210, 10, t.thread(), 5);
    t.api("cudaLaunchKernel", 230, 10, t.thread(), 6);
    DeviceSpan lies{.begin = 300, .dur = 10, .track = t.stream(), .kind = DeviceKind::kKernel};
    lies.correlation = 5;
    lies.external_id = 1;
    DeviceSpan right = lies;
    right.begin = 320;
    right.correlation = 6;
    right.external_id = 2;
    t.device(lies, "lies");
    t.device(right, "right");
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(name_of(p, a.launch_op[device_row(p, "lies")]), "true");
    EXPECT_EQ(p.diagnostics.count(Diag::kExternalIdDisagrees), 1);
    EXPECT_EQ(p.diagnostics.first(Diag::kExternalIdDisagrees).at(0).text, "lies");
}

TEST(Attribution, ScatteredIds) {
    TestProfile t;
    t.op("op", 0, 1000);
    for (int64_t i = 0; i < 50; ++i) {
        const int64_t id = (i - 25) * 1'000'000'000'007 + 3;
        t.api("cudaLaunchKernel", 10 * i, 5, t.thread(), id);
        t.kernel("k" + std::to_string(i), 1000 + 10 * i, 5, t.stream(), id);
    }
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    for (size_t span = 0; span < 50; ++span)
        EXPECT_EQ(a.host_ns[span], p.device.begin[span] - 1000);
}

TEST(Attribution, OfACallWithinACallOfTheSameNumberTheInnerOneLaunches) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.op("addmm", 0, 100, thread);
    t.api("cudaLaunchKernel", 20, 30, thread, 5);
    t.api("cuLaunchKernel", 25, 20, thread, 5);
    t.kernel("gemm", 60, 100, t.stream(), 5);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(name_of(p, a.launch[0]), "cuLaunchKernel");
    EXPECT_EQ(p.diagnostics.count(Diag::kDuplicateCorrelation), 0);
}

TEST(Attribution, ProcessesOfOneRankCountTheirCallsApart) {
    TestProfile t;
    const RankId rank = t.builder.track(t.thread(1, 100)).rank;
    const DeviceId device = t.builder.device(rank, 0);
    for (const int64_t pid : {100, 200}) {
        const std::string name = pid == 100 ? "first" : "second";
        t.op(name, 0, 100, t.thread(1, pid));
        t.api("cudaLaunchKernel", 20, 10, t.thread(1, pid), 5);
        t.kernel("kernel of " + name, 40, 10,
                 t.builder.stream_track(TrackKind::kDeviceStream, device, 1, 7, pid), 5);
    }
    t.kernel("of neither", 60, 10, t.builder.stream_track(TrackKind::kDeviceStream, device, 1, 7, 300), 5);
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(name_of(p, a.launch_op[device_row(p, "kernel of first")]), "first");
    EXPECT_EQ(name_of(p, a.launch_op[device_row(p, "kernel of second")]), "second");
    EXPECT_FALSE(a.launch[device_row(p, "of neither")].valid());
    EXPECT_EQ(p.diagnostics.count(Diag::kDuplicateCorrelation), 0);
}

TEST(Attribution, ANumberThatComesAgainIsToldByTime) {
    TestProfile t;
    for (const int64_t begin : {0, 1000, 2000}) {
        t.op("op at " + std::to_string(begin), begin, 100);
        t.api("cudaLaunchKernel", begin + 10, 10, t.thread(), 5);
        t.kernel("after " + std::to_string(begin), begin + 50, 100, t.stream(), 5);
    }
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    for (const char* begin : {"0", "1000", "2000"})
        EXPECT_EQ(name_of(p, a.launch_op[device_row(p, std::string("after ") + begin)]),
                  std::string("op at ") + begin);
    EXPECT_EQ(p.diagnostics.count(Diag::kDuplicateCorrelation), 3);
}

// A legacy trace: no API calls, but an arrow from where an op begins. Two ops begin together.
TEST(Attribution, AnArrowNamesTheOpWhereThereAreNoCalls) {
    TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    t.op("aten::conv", 100, 900, thread);
    t.op("aten::cudnn", 100, 500, thread);
    t.kernel("aten::conv", 2000, 100, stream, 0);
    t.kernel("aten::cudnn", 2100, 300, stream, 1);
    t.kernel("sgemm", 2500, 300, stream, 2);
    t.kernel("lost", 2900, 300, stream, 3);
    for (int64_t id = 0; id < 3; ++id)
        t.builder.add_flow({id, 100, thread, FlowKind::kLaunch, true});
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    EXPECT_EQ(device_op(p, a, "aten::conv"), "aten::conv");
    EXPECT_EQ(device_op(p, a, "aten::cudnn"), "aten::cudnn");
    EXPECT_EQ(device_op(p, a, "sgemm"), "aten::cudnn");
    EXPECT_EQ(device_op(p, a, "lost"), "unattributed");
    EXPECT_EQ(p.diagnostics.count(Diag::kNoLaunch), 1);
    EXPECT_EQ(a.kernels[a.kernel[0].index()].uses_tc, TensorCoreUse::kUnknown) << "a time, not a kernel";
}

// A pass that TensorRT tells without the name of a kernel: pooling is known to hold no product, a convolution
// may.
TEST(Attribution, TimesOfLayersWithoutProductsUseNoTensorCores) {
    TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    int64_t id = 0;
    for (const char* name : {"trt::max_pooling", "trt::reformat", "trt::soft_max", "trt::convolution",
                             "trt::layer", "mine::max_pooling"}) {
        t.op(name, 100 * id, 50, thread);
        t.kernel(name, 100 * id, 50, stream, id);
        t.builder.add_flow({id, 100 * id, thread, FlowKind::kLaunch, true});
        ++id;
    }
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    std::string uses;
    for (size_t span = 0; span < p.device.size(); ++span) {
        const bool unknown = a.kernels[a.kernel[span].index()].uses_tc == TensorCoreUse::kUnknown;
        uses += unknown ? '?' : '-';
    }
    EXPECT_EQ(uses, "---???");
}

// Where neither the device nor a call tells whose library it is, a source that knows no other makers does.
TEST(Attribution, NamesOfKernelsTellWhereTheSourceIsOfOneMaker) {
    for (const bool told : {false, true}) {
        TestProfile t;
        if (told) set_kernels_of_cuda_or_hip(t.builder.info());
        t.kernel("maxwell_sgemm_128x64_nn", 0, 50, t.stream(), 1);
        Profile p = t.finish();
        const Analysis a = analyze(p, {});
        EXPECT_EQ(a.kernels[a.kernel[0].index()].uses_tc,
                  told ? TensorCoreUse::kNo : TensorCoreUse::kUnknown);
    }
}

}  // namespace
}  // namespace opsight::analyze
