#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
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

// The device is behind its launches and works until the recording ends: what it had not come to is not lost.
TEST(LostWork, WorkBehindTheEndIsNotLost) {
    for (const bool until_the_end : {true, false}) {
        TestProfile t;
        const TrackId thread = t.thread(), stream = t.stream();
        for (int64_t i = 0; i < 10; ++i)
            t.api("cudaLaunchKernel", i * 10, 5, thread, i + 1);
        for (int64_t i = 0; i < 5; ++i)
            if (i != 2)
                t.kernel("k", 20 + i * (until_the_end ? 15 : 6), until_the_end ? 15 : 6, stream, i + 1);
        Profile profile = t.finish();
        (void)analyze(profile, {});
        EXPECT_EQ(profile.diagnostics.count(Diag::kLostDeviceWork), until_the_end ? 1 : 6)
            << "what stands before recorded work is lost";
        EXPECT_EQ(profile.diagnostics.count(Diag::kWorkBehindEnd), until_the_end ? 5 : 0);
    }
}

// The recording went on long after the last call: it would have had the work, too.
TEST(LostWork, WorkBesideADeviceThatGoesOnAfterTheCallsIsLost) {
    TestProfile t;
    for (int64_t i = 0; i < 10; ++i)
        t.api("cudaLaunchKernel", i, 1, t.thread(), i + 1);
    for (int64_t i = 0; i < 5; ++i)
        t.kernel("k", 100 + i, 1, t.stream(), i + 1);
    Profile profile = t.finish();
    (void)analyze(profile, {});
    EXPECT_EQ(profile.diagnostics.count(Diag::kLostDeviceWork), 5);
    EXPECT_EQ(profile.diagnostics.count(Diag::kWorkBehindEnd), 0);
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

TEST(LostWork, ACaptureTakesTheLaunchesOfAllThreads) {
    TestProfile t;
    const TrackId main = t.thread(1), backward = t.thread(2);
    t.api("cudaStreamBeginCapture", 100, 10, main, 1);
    t.api("cudaLaunchKernel", 120, 5, main, 2);
    for (int64_t i = 0; i < 5; ++i)
        t.api("cudaLaunchKernel", 200 + i * 10, 5, backward, 10 + i);
    t.api("cudaStreamEndCapture", 300, 10, main, 3);
    t.api("cudaLaunchKernel", 320, 5, backward, 20);
    t.add_rank(1);
    t.api("cudaLaunchKernel", 150, 5, t.thread(3, 200), 1);
    EXPECT_EQ(lost(t), 2) << "what came behind the capture, and what another rank launched";
}

TEST(LostWork, AnotherThreadMayEndACapture) {
    TestProfile t;
    t.api("cudaStreamBeginCapture", 100, 10, t.thread(1), 1);
    t.api("cudaLaunchKernel", 120, 5, t.thread(1), 2);
    t.api("cudaStreamEndCapture", 200, 10, t.thread(2), 3);
    t.api("cudaLaunchKernel", 300, 5, t.thread(1), 4);
    t.builder.add_api(
        {400, 5, t.thread(1), t.builder.text("cudaStreamBeginCapture"), HostKind::kRuntimeApi, 0}, 5, 900);
    t.api("cudaLaunchKernel", 500, 5, t.thread(1), 6);
    EXPECT_EQ(lost(t), 2) << "the second capture failed to begin";
    TestProfile cut;
    cut.api("cudaStreamBeginCapture", 100, 10, cut.thread(1), 1);
    cut.api("cudaLaunchKernel", 120, 5, cut.thread(1), 2);
    EXPECT_EQ(lost(cut), 0) << "the profile ends before the capture does";
}

}  // namespace
}  // namespace opsight::analyze
