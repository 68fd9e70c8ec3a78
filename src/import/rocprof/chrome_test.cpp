#include <fmt/format.h>

#include <algorithm>

#include "import/rocprof/chrome_rows.h"
#include "import/rocprof/test_results.h"

namespace opsight::importer {
namespace {

class RocprofTraceTest : public rocprof::ResultsTest {
  protected:
    RocprofTraceTest() : ResultsTest("rocprof_v1_results.json", "results.json") {}
};

TEST_F(RocprofTraceTest, CallsAndTheirWork) {
    const Profile p = imported(seed());
    EXPECT_EQ(p.info.producer, "rocprof");
    ASSERT_EQ(p.host.size(), 3u);
    EXPECT_EQ(text(p, p.host.name[0]), "step 1");
    EXPECT_EQ(p.host.dur, (std::vector<int64_t>{90500, 4876, 5501})) << "to the ns, not the us";
    EXPECT_EQ(p.host.kind[1], HostKind::kRuntimeApi);
    EXPECT_EQ(p.tracks[p.host.track[1].index()].pid, 2385);
    ASSERT_EQ(p.device.size(), 3u);
    EXPECT_EQ(p.api_correlation, (std::vector<int64_t>{1, 2}));
    for (size_t row = 0; row < 3; ++row) {
        const DeviceKind kind = p.device.kind[row];
        const int64_t wanted = kind == DeviceKind::kKernel ? 1 : kind == DeviceKind::kMemcpy ? 2 : -1;
        EXPECT_EQ(p.device.correlation[row], wanted) << text(p, p.device.name[row]);
        EXPECT_EQ(kind == DeviceKind::kSync, text(p, p.device.name[row]) == "<barrier packet>");
    }
    EXPECT_EQ(p.diagnostics.count(Diag::kBadEvent), 0) << "the empty first event is none";
}

// The clocks of both differ by more than the call took: the arrow of the second copy lies in the first call.
TEST_F(RocprofTraceTest, CopiesBeforeTheirCallByTheClock) {
    const auto event = [](const std::string& name, int row, int tid, int64_t begin, int64_t end) {
        return fmt::format(
            R"(,{{"ph":"X","name":"{}","pid":{},"tid":{},"ts":"{}","dur":"{}","args":{{"BeginNs":"{}000",)"
            R"("EndNs":"{}000","dev-id":"0","queue-id":"0","pid":"2385","tid":"2385"}}}})",
            name, row, tid, begin, end - begin, begin, end);
    };
    const auto arrow = [](int id, int64_t us) {
        return fmt::format(
            R"(,{{"ts":{0},"ph":"s","cat":"DataFlow","id":{1},"pid":2,"tid":2385,"name":"dep"}},)"
            R"({{"ts":{0},"ph":"t","cat":"DataFlow","id":{1},"pid":4,"tid":1,"name":"dep"}})",
            us, id);
    };
    const Profile p = imported(replaced(
        "],", event("hipMemcpy", 2, 2385, 2000, 2100) + event("hipMemcpy", 2, 2385, 2110, 2200) +
                  event("CopyHostToDevice", 4, 1, 2050, 2080) + event("CopyHostToDevice", 4, 1, 2090, 2180) +
                  arrow(2, 2050) + arrow(3, 2090) + "\n],"));
    ASSERT_EQ(p.api_correlation.size(), 4u);
    EXPECT_GE(p.api_correlation[3], 0);
    EXPECT_EQ(p.device.correlation.back(), p.api_correlation[3]);
    EXPECT_EQ(std::count(p.device.correlation.begin(), p.device.correlation.end(), p.api_correlation[2]), 1);
}

TEST_F(RocprofTraceTest, WhatIsOddIsCounted) {
    EXPECT_EQ(
        imported(replaced("\"BeginNs\":\"1045000\"", "\"BeginNs\":\"x\"")).diagnostics.count(Diag::kBadTime),
        1);
    EXPECT_EQ(imported(replaced("\"EndNs\":\"1055000\"", "\"EndNs\":\"1\""))
                  .diagnostics.count(Diag::kNegativeDuration),
              1);
    const Profile lost = imported(replaced("\"id\":1,\"pid\":4", "\"id\":7,\"pid\":4"));
    EXPECT_EQ(lost.diagnostics.count(Diag::kDanglingId), 1);
    EXPECT_EQ(lost.api_correlation[1], -1);
    const Profile unknown =
        imported(replaced("CPU HIP API\"},\"ph\":\"M\",\"pid\":2", "CPU HIP API\"},\"ph\":\"M\",\"pid\":3"));
    EXPECT_EQ(unknown.diagnostics.count(Diag::kUnknownCategory), 2);
}

TEST_F(RocprofTraceTest, KernelsWithCountersAreTheSameWorkAgain) {
    const std::string kernel =
        ",{\"ph\":\"X\",\"name\":\"gemm(float*) [clone "
        ".kd]\",\"pid\":\"6\",\"tid\":\"0\",\"ts\":\"1020\",\"dur\":\"20\","
        "\"args\":{\"gpu-id\":\"0\",\"grd\":\"1000\",\"wgr\":\"256\",\"BeginNs\":\"1020250\",\"EndNs\":"
        "\"1040750\"}}\n],";
    EXPECT_EQ(imported(replaced("],", kernel)).device.size(), 3u);
    std::string alone = replaced("],", kernel);
    for (size_t at = alone.find("dev-id"); at != alone.npos; at = alone.find("dev-id"))
        alone.replace(at, 6, "gpu-id");
    const Profile p = imported(alone);
    EXPECT_EQ(p.device.size(), 4u) << "no queue was traced";
    bool told = false;
    for (const LaunchConfig& config : p.launch_configs)
        told |= config.grid[0] == 4 && config.block[0] == 256;
    EXPECT_TRUE(told);
}

TEST_F(RocprofTraceTest, ATraceThatBreaksOff) {
    const Profile p = imported(seed().substr(0, seed().find("<barrier packet>")));
    EXPECT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kTruncatedInput), 1);
}

TEST(RocprofTraceRows, Names) {
    using rocprof::ChromeRow, rocprof::QueueWork;
    EXPECT_EQ(rocprof::row_of_name("CPU HSA API"), ChromeRow::kHsa);
    EXPECT_EQ(rocprof::row_of_name("GPU12"), ChromeRow::kGpu);
    EXPECT_EQ(rocprof::row_of_name("?"), ChromeRow::kUnknown);
    EXPECT_EQ(rocprof::work_of_name("FillBuffer"), QueueWork::kFill);
    EXPECT_EQ(rocprof::work_of_name("copy_kernel"), QueueWork::kKernel);
}

}  // namespace
}  // namespace opsight::importer
