#include "analyze/launch_ranges.h"

#include <gtest/gtest.h>

#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

std::vector<std::string> ranges_of(const Profile& p, size_t row) {
    const RangeStacks stacks = ranges_of_launches(p);
    std::vector<std::string> out;
    for (const StringId name : stacks.names(stacks.of_row[row]))
        out.emplace_back(p.strings.view(name));
    return out;
}

TEST(LaunchRanges, AreThoseAroundTheCall) {
    TestProfile t;
    t.annotation("step", 0, 100, t.thread());
    t.annotation("mlp", 10, 20, t.thread());
    t.api("cudaLaunchKernel", 15, 5, t.thread(), 7);
    t.api("cudaLaunchKernel", 40, 5, t.thread(), 8);
    t.kernel("in mlp", 200, 10, t.stream(), 7);
    t.kernel("after it", 220, 10, t.stream(), 8);
    const Profile p = t.finish();
    EXPECT_EQ(ranges_of(p, 0), (std::vector<std::string>{"step", "mlp"}));
    EXPECT_EQ(ranges_of(p, 1), (std::vector<std::string>{"step"}));
}

// Profilers write 0 where a span has no correlation: it is no id.
TEST(LaunchRanges, NoCorrelationIsNoLaunch) {
    TestProfile t;
    t.annotation("step", 0, 100, t.thread());
    t.api("cudaDeviceSynchronize", 15, 5, t.thread(), 0);
    t.kernel("of another launch", 200, 10, t.stream(), 0);
    const Profile p = t.finish();
    EXPECT_EQ(ranges_of(p, 0), std::vector<std::string>());
}

// Correlation ids are counted in each process by itself.
TEST(LaunchRanges, AreThoseOfTheSpansProcess) {
    TestProfile t;
    t.annotation("theirs", 0, 100, t.thread(1, 100));
    t.api("cudaLaunchKernel", 10, 5, t.thread(1, 100), 7);
    t.annotation("ours", 0, 100, t.thread(1, 200));
    t.api("cudaLaunchKernel", 12, 5, t.thread(1, 200), 7);
    const DeviceId device = t.builder.device(RankId(size_t{0}), 0);
    t.kernel("gemm", 50, 10, t.builder.stream_track(TrackKind::kDeviceStream, device, 1, 7, 200), 7);
    const Profile p = t.finish();
    EXPECT_EQ(ranges_of(p, 0), std::vector<std::string>{"ours"});
}

}  // namespace
}  // namespace opsight::analyze
