#include "import/rocprof/test_results.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

class RocprofPluginTest : public rocprof::ResultsTest {
  protected:
    RocprofPluginTest() : ResultsTest("rocprof_v2_output.json", "70_output.json") {}
};

TEST_F(RocprofPluginTest, CallsAndTheirWork) {
    const Profile p = imported(seed());
    EXPECT_EQ(p.info.producer, "rocprof");
    ASSERT_EQ(p.host.size(), 4u);
    EXPECT_EQ(text(p, p.host.name[0]), "step 1");
    EXPECT_EQ(p.host.dur, (std::vector<int64_t>{0, 20000, 1000, 5000})) << "the end of the range is not told";
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 2) << "that end, and the kernel that HSA tells again";
    EXPECT_EQ(p.host.kind[1], HostKind::kRuntimeApi);
    EXPECT_EQ(p.host.kind[2], HostKind::kDriverApi);
    ASSERT_EQ(p.device.size(), 3u);
    for (size_t row = 0; row < 3; ++row) {
        const DeviceKind kind = p.device.kind[row];
        EXPECT_EQ(p.device.correlation[row], kind == DeviceKind::kKernel   ? 2
                                             : kind == DeviceKind::kMemcpy ? 1
                                                                           : 4);
        EXPECT_EQ(p.devices[p.tracks[p.device.track[row].index()].device.index()].number, 1);
    }
    EXPECT_FALSE(has_limit(p.info, "rocprofv2.devices"));
    EXPECT_EQ(p.diagnostics.count(Diag::kUnknownPhase), 0);
}

TEST_F(RocprofPluginTest, DispatchesCountWhereHipTellsNone) {
    EXPECT_EQ(imported(replaced("\"cat\": \"GPU\"", "\"cat\": \"gpu\"")).device.size(), 4u);
}

TEST_F(RocprofPluginTest, CopiesOfOneOfSeveralGpusAreLeftOut) {
    const Profile p = imported(replaced("\"pid\": 4,\n      \"tid\": 1", "\"pid\": 4,\n      \"tid\": 3"));
    EXPECT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 3);
}

TEST_F(RocprofPluginTest, WhatIsOddIsCounted) {
    EXPECT_EQ(imported(replaced("\"ts\": \"1010\"", "\"ts\": \"x\"")).diagnostics.count(Diag::kBadTime), 1);
    EXPECT_EQ(imported(replaced("\"dur\": \"5\"", "\"dur\": \"99999999999999999999\""))
                  .diagnostics.count(Diag::kBadTime),
              1);
    EXPECT_EQ(imported(replaced("\"pid\": 3,\n      \"tid\"", "\"pid\": 9,\n      \"tid\""))
                  .diagnostics.count(Diag::kUnknownCategory),
              1);
}

}  // namespace
}  // namespace opsight::importer
