#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight {
namespace {

int64_t lost(TestProfile& t) {
    Profile profile = t.finish();
    (void)analyze(profile, {});
    return profile.diagnostics.count(Diag::kLostDeviceWork);
}

TEST(LostWork, LaunchesWithoutKernelsAreCounted) {
    TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    t.api("cudaLaunchKernel", 0, 5, thread, 1);
    t.kernel("k", 10, 5, stream, 1);
    t.api("cudaLaunchKernel", 20, 5, thread, 2);
    t.api("cuLaunchKernelEx", 30, 5, thread, 3);
    t.api("cudaGraphLaunch", 40, 5, thread, 4);
    t.api("cudaMalloc", 50, 5, thread, 5);
    t.api("cudaLaunchHostFunc", 60, 5, thread, 6);
    EXPECT_EQ(lost(t), 3);
}

TEST(LostWork, ARuntimeCallLaunchesByTheDriverCallInIt) {
    TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    t.api("cudaLaunchKernel", 0, 10, thread, 1);
    t.builder.add_api({2, 5, thread, t.builder.text("cuLaunchKernel"), HostKind::kDriverApi, 0}, 2);
    t.kernel("k", 10, 5, stream, 2);
    t.api("cudaLaunchKernel", 20, 10, thread, 3);
    t.builder.add_api({22, 5, thread, t.builder.text("cuLaunchKernel"), HostKind::kDriverApi, 0}, 4);
    EXPECT_EQ(lost(t), 1);
}

TEST(LostWork, CapturedAndFailedLaunchesRunNothing) {
    TestProfile t;
    const TrackId thread = t.thread();
    t.api("cudaStreamBeginCapture", 0, 5, thread, 1);
    t.api("cudaLaunchKernel", 10, 5, thread, 2);
    t.api("cudaStreamEndCapture", 20, 5, thread, 3);
    t.builder.add_api({30, 5, thread, t.builder.text("cudaLaunchKernel"), HostKind::kRuntimeApi, 0}, 4, 2);
    EXPECT_EQ(lost(t), 0);
}

}  // namespace
}  // namespace opsight
