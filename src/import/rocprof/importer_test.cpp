#include "import/rocprof/test_results.h"

namespace opsight::importer {
namespace {

class RocprofTest : public rocprof::ResultsTest {
  protected:
    RocprofTest() : ResultsTest("rocprof_results.json", "908_results.json") {}
};

TEST_F(RocprofTest, KernelsCallsCopiesAndMarkers) {
    const Profile p = imported(seed());
    EXPECT_EQ(p.info.producer, "rocprofv3");
    ASSERT_EQ(p.device.size(), 2u) << "the kernel without times is left out";
    EXPECT_EQ(text(p, p.device.name[0]), "gemm(float*)");
    EXPECT_EQ(p.device.dur[0], 2500);
    EXPECT_EQ(p.device.correlation[0], 1);
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[0], 4) << "1000 threads in blocks of 256";
    EXPECT_EQ(config.grid[1], 2);
    EXPECT_EQ(config.registers_per_thread, 32);
    EXPECT_EQ(p.device.kind[1], DeviceKind::kMemcpy);
    EXPECT_EQ(p.device.bytes[1], 4096);
    EXPECT_EQ(text(p, p.device.name[1]), "Memcpy HtoD");
    const Track& stream = p.tracks[p.device.track[0].index()];
    EXPECT_EQ(stream.stream * 100 + stream.context, 518);
    EXPECT_EQ(p.devices.at(0).name, "AMD Instinct MI350X");
    EXPECT_EQ(p.devices.at(0).number, 1);
    std::vector<std::string> host;
    for (size_t row = 0; row < p.host.size(); ++row)
        host.push_back(text(p, p.host.name[row]));
    EXPECT_EQ(host, (std::vector<std::string>{"step", "hipLaunchKernel", "hipMemcpyAsync", "ncclAllReduce"}));
    EXPECT_EQ(p.tracks[p.host.track[0].index()].pid, 908);
}

TEST_F(RocprofTest, WhatIsOddIsCounted) {
    const Profile p = imported(seed());
    EXPECT_EQ(p.diagnostics.count(Diag::kMissingEnd), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadTable), 1) << "scratch memory";
    EXPECT_EQ(
        imported(replaced("\"kernel_id\": 8,", "\"kernel_id\": 9,")).diagnostics.count(Diag::kDanglingId), 1);
    EXPECT_EQ(imported(replaced("\"start_timestamp\": 8000", "\"start_timestamp\": -5"))
                  .diagnostics.count(Diag::kBadTime),
              1);
    EXPECT_EQ(imported(replaced("\"end_timestamp\": 7500", "\"end_timestamp\": 1"))
                  .diagnostics.count(Diag::kNegativeDuration),
              1);
    EXPECT_EQ(imported(replaced("host1", "h\xff\x01")).diagnostics.count(Diag::kUncleanText), 1);
}

TEST_F(RocprofTest, CutOrEmptyResultsAreRefused) {
    EXPECT_NE(refused(seed().substr(0, seed().size() / 2)).find("break off"), std::string::npos);
    EXPECT_NE(refused("{\"rocprofiler-sdk-tool\": [{}]}").find("--sys-trace"), std::string::npos);
    EXPECT_NE(refused("{\"rocprofiler-sdk-tool\": 3}").find("without a call"), std::string::npos);
}

// A run of the program for each group of counters, which this format does not join.
TEST_F(RocprofTest, FurtherPassesAreLeftOutAndSaySo) {
    const std::string first = folder_.write("pass_1/7_results.json", seed()),
                      second = folder_.write("pass_2/8_results.json", seed());
    const Result<Profile> found = import_files({folder_.path()});
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->ranks.size(), 1u);
    EXPECT_EQ(found->ranks[0].source, first);
    ASSERT_EQ(found->diagnostics.count(Diag::kSkippedFile), 1);
    EXPECT_NE(found->diagnostics.first(Diag::kSkippedFile)[0].text.find("of a further pass over the program"),
              std::string::npos);
    const Result<Profile> given = import_files({first, second});
    ASSERT_FALSE(given);
    EXPECT_NE(given.error().remedy.find("--output-format csv"), std::string::npos);
    EXPECT_TRUE(import_files({second})) << "alone it is a run like any other";
}

TEST_F(RocprofTest, ADescriptionOfAPassIsNoPass) {
    folder_.write("pass_1/1_config.json", "{\"jobs\": []}");
    const std::string only = folder_.write("pass_2/8_results.json", seed());
    const Result<Profile> found = import_files({folder_.path()});
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->ranks[0].source, only);
}

}  // namespace
}  // namespace opsight::importer
