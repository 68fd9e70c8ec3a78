#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/test_files.h"
#include "import/import.h"
#include "import/nvprof/printed_amounts.h"
#include "import/nvprof/printed_table.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

class PrintedTest : public ::testing::Test {
  protected:
    static std::string seed(const std::string& name) {
        std::ifstream file(OPSIGHT_SOURCE_DIR "/tests/fuzz/seeds/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write("run.txt", text)}, {}, &facts_);
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string refused(const std::string& text) {
        const Result<Profile> profile = import_files({folder_.write("run.txt", text)});
        EXPECT_FALSE(profile);
        return profile ? "" : profile.error().message();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    static std::string limit(const Profile& p, std::string_view key) {
        for (const auto& [name, value] : p.info.properties)
            if (name == key) return value;
        return {};
    }
    // "name = value" of each counter, in their order.
    static std::vector<std::string> counters(const Profile& p) {
        std::vector<std::string> found;
        for (size_t i = 0; i < p.counters.size(); ++i)
            found.push_back(text(p, p.counters.name[i]) + " = " + std::to_string(p.counters.value[i]));
        return found;
    }

    testing::TempFolder folder_;
    ImportFacts facts_;
};

TEST_F(PrintedTest, TraceAsCsv) {
    const Profile p = imported(seed("nvprof_trace.csv"));
    EXPECT_EQ(p.info.producer, "nvprof");
    EXPECT_FALSE(has_durations_only(p.info));
    EXPECT_FALSE(p.info.origin_is_unix);
    ASSERT_EQ(p.device.size(), 3u);
    EXPECT_EQ(text(p, p.device.name[0]), "Memcpy HtoD (Pinned -> Device)");
    EXPECT_EQ(p.device.bytes[0], 409600) << "a megabyte is 1024 x 1024 bytes";
    EXPECT_EQ(p.device.begin[0], 5000);
    EXPECT_EQ(p.device.dur[0], 10000);
    EXPECT_EQ(text(p, p.device.name[1]), "void gemm<int=32>(float*, int)");
    EXPECT_EQ(p.device.dur[1], 270500);
    EXPECT_EQ(p.device.correlation[1], 42);
    const LaunchConfig& config = p.launch_configs[p.device.config[1].index()];
    EXPECT_EQ(config.grid[0] * 1000 + config.grid[1] * 100 + config.block[0], 64328);
    EXPECT_EQ(config.registers_per_thread, 29);
    EXPECT_EQ(config.static_shared_bytes, 8192);
    EXPECT_EQ(config.dynamic_shared_bytes, 0);
    EXPECT_EQ(p.device.kind[2], DeviceKind::kMemset);
    EXPECT_EQ(p.devices.at(0).name, "Tesla V100-SXM2-16GB");
    EXPECT_EQ(p.tracks[p.device.track[0].index()].pid, 2119);
    ASSERT_EQ(p.host.size(), 4u) << "a range, two calls, a mark";
    EXPECT_EQ(p.host.kind[0], HostKind::kOp) << "a range of emit_nvtx";
    EXPECT_EQ(p.host.dur[0], 1100000) << "from its begin to its end";
    EXPECT_EQ(text(p, p.host.name[2]), "cudaLaunchKernel");
    EXPECT_EQ(limit(p, "command"), "./train --steps 1");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1) << "page faults";
    EXPECT_EQ(p.diagnostics.count(Diag::kSourceWarning), 1);
}

TEST_F(PrintedTest, RecordsThatDidNotFitAreLost) {
    const std::string lost =
        "==2119== Warning: 376746 records have invalid timestamps due to insufficient device buffer space. "
        "You can configure the buffer space using the option --device-buffer-size.\n";
    const Profile p = imported(lost + seed("nvprof_trace.csv"));
    const int64_t others = imported(seed("nvprof_trace.csv")).diagnostics.count(Diag::kLostDeviceWork);
    EXPECT_EQ(p.diagnostics.count(Diag::kLostDeviceWork), others + 376746);
    EXPECT_EQ(p.diagnostics.count(Diag::kSourceWarning), 2);
}

TEST_F(PrintedTest, RepairedTextIsCounted) {
    std::string trace = seed("nvprof_trace.csv");
    const size_t at = trace.find("conv1");
    ASSERT_NE(at, trace.npos);
    trace[at] = '\xff';
    EXPECT_EQ(imported(trace).diagnostics.count(Diag::kUncleanText), 1);
    // Lines of Windows are as good as others.
    std::string lines;
    for (const char c : seed("nvprof_trace.csv"))
        lines += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const Profile p = imported(lines);
    EXPECT_EQ(p.diagnostics.count(Diag::kUncleanText), 0);
    EXPECT_EQ(p.device.size(), 3u);
}

// Ranges that overlap are closed by their texts; an end without one closes the last that is open. As many as
// that took minutes when each end looked through all of them.
TEST_F(PrintedTest, ManyOpenRangesAreClosedByTheirTexts) {
    constexpr int kRanges = 200'000;
    std::string trace = "\"Start\",\"Duration\",\"Name\"\nms,us,\n";
    for (int i = 0; i < kRanges; ++i)
        trace += fmt::format("{}.0,,\"[Range start] r{}\"\n", i, i);
    trace += fmt::format("{}.0,,\"[Range end] \"\n", kRanges);
    for (int i = 0; i < kRanges - 1; ++i)
        trace += fmt::format("{}.0,,\"[Range end] r{}\"\n", kRanges + 1 + i, i);
    const Profile p = imported(trace);
    ASSERT_EQ(p.host.size(), static_cast<size_t>(kRanges));
    EXPECT_EQ(p.host.dur[0], int64_t{kRanges + 1} * 1'000'000);
    EXPECT_EQ(p.host.dur[kRanges - 1], 1'000'000) << "the last one";
    EXPECT_EQ(p.diagnostics.count(Diag::kUnfinishedSpan), 0);
    EXPECT_EQ(p.diagnostics.count(Diag::kEndWithoutBegin), 0);
}

TEST_F(PrintedTest, TraceAsText) {
    const Profile p = imported(seed("nvprof_trace.txt"));
    ASSERT_EQ(p.device.size(), 4u);
    EXPECT_EQ(p.device.bytes[0], 40000029) << "38.147 x 1024 x 1024, as exact as it is printed";
    EXPECT_EQ(text(p, p.device.name[1]), "vectorAdd(float const *, float const *, float*, int)");
    EXPECT_EQ(p.device.begin[2], p.device.begin[1] + p.device.dur[1]) << "199.29 ms was rounded down";
    EXPECT_EQ(p.diagnostics.count(Diag::kReplacedValue), 1);
    EXPECT_EQ(p.device.bytes[3], 6291500) << "its rate tells that a megabyte is 1000 x 1000 bytes here";
    EXPECT_EQ(p.devices.size(), 2u) << "a context each, for names are cut short";
    ASSERT_EQ(p.host.size(), 2u);
    EXPECT_EQ(p.host.kind[0], HostKind::kDriverApi);
    EXPECT_EQ(p.host.kind[1], HostKind::kRuntimeApi);
    EXPECT_EQ(p.api_correlation[1], 112);
    EXPECT_EQ(p.device.correlation[1], 112);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 0) << "neither what the program printed nor the legend";
}

TEST_F(PrintedTest, SumsOfCallsAloneAreNoLaunches) {
    const Profile p = imported(
        "==7== NVPROF is profiling process 7, command: ./app\n==7== Profiling result:\n"
        "No kernels were profiled.\n"
        "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
        "      API calls:   98.21%  310.50ms         2  155.25ms  4.5010us  310.50ms  cudaMallocManaged\n"
        "                    1.79%  5.4500ms       400  13.625us  7.5000us  210.40us  cudaLaunchKernel\n");
    EXPECT_EQ(p.device.size(), 0u);
    EXPECT_EQ(p.counters.size(), 8u);
    EXPECT_THAT(limit(p, kHostOfSource), ::testing::HasSubstr("sums over all API calls of each name"));
    EXPECT_THAT(limit(p, kHostOfSource), ::testing::Not(::testing::HasSubstr("kernel")));
}

TEST_F(PrintedTest, SummariesBecomeAsManyLaunchesAsTheyTell) {
    const Profile p = imported(seed("nvprof_summary.txt"));
    EXPECT_TRUE(has_durations_only(p.info));
    EXPECT_NE(limit(p, kHostOfSource).find("sums over all launches"), std::string::npos);
    ASSERT_EQ(p.device.size(), 7u);
    const std::vector<int64_t> wanted = {100000, 300000, 100000, 100000, 150000, 200000, 50000};
    EXPECT_EQ(p.device.dur, wanted) << "sums, counts, least and most are those of the table";
    EXPECT_EQ(text(p, p.device.name[4]), "Memcpy HtoD");
    EXPECT_EQ(p.device.kind[6], DeviceKind::kMemset);
    const std::vector<std::string> of_calls = {"calls = 7.000000", "total [ns] = 97000000.000000",
                                               "shortest [ns] = 4000.000000",
                                               "longest [ns] = 96000000.000000"};
    const std::vector<std::string> all = counters(p);
    ASSERT_EQ(all.size(), 11u) << "three of unified memory, and eight of calls";
    EXPECT_EQ(std::vector<std::string>(all.begin() + 3, all.begin() + 7), of_calls);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 0);
    EXPECT_EQ(p.host.size(), 0u);
}

TEST_F(PrintedTest, UnifiedMemoryIsCounted) {
    const Profile p = imported(
        "==7== Profiling result:\n"
        "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
        " GPU activities:  100.00%  20.000us         2  10.000us  9.0000us  11.000us  add(float*)\n\n"
        "==7== Unified Memory profiling result:\nDevice \"TITAN Xp (0)\"\n"
        "   Count  Avg Size  Min Size  Max Size  Total Size  Total Time  Name\n"
        "      31  28.902KB  4.0000KB  64.000KB  896.0000KB  114.9440us  Host To Device\n"
        "      12         -         -         -           -  1.8000ms  Gpu page fault groups\n"
        "Total CPU Page faults: 36\n");
    ASSERT_EQ(p.devices.size(), 1u);
    EXPECT_EQ(p.devices[0].name, "TITAN Xp");
    EXPECT_EQ(p.device.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 0);
    const std::vector<std::string> wanted = {"times = 31.000000",           "total [byte] = 917504.000000",
                                             "total [ns] = 114944.000000",  "times = 12.000000",
                                             "total [ns] = 1800000.000000", "times = 36.000000"};
    EXPECT_EQ(counters(p), wanted);
    EXPECT_EQ(text(p, p.tracks[p.counters.track[2].index()].pid_text), "unified memory: Host To Device");
    EXPECT_THAT(limit(p, kHostOfSource), ::testing::HasSubstr("sums over all launches"));
}

TEST_F(PrintedTest, UnifiedMemoryAloneAsCsv) {
    const Profile p = imported(
        "==7== NVPROF is profiling process 7, command: ./app\n==7== Profiling application: ./app\n"
        "==7== Unified Memory profiling result:\n"
        "\"Device\",\"Count\",\"Avg Size\",\"Min Size\",\"Max Size\",\"Total Size\",\"Total Time\",\"Name\"\n"
        ",,\"KB\",\"KB\",\"KB\",\"KB\",\"us\",\n"
        "\"TITAN Xp (0)\",31,28.902,4.0,64.0,896.0,114.944,\"Host To Device\"\n");
    const std::vector<std::string> wanted = {"times = 31.000000", "total [byte] = 917504.000000",
                                             "total [ns] = 114944.000000"};
    EXPECT_EQ(counters(p), wanted);
    EXPECT_THAT(limit(p, kHostOfSource), ::testing::HasSubstr("unified memory alone"));
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 0);
}

TEST_F(PrintedTest, SummariesOfTooManyLaunchesAreRefused) {
    std::string text = seed("nvprof_summary.txt");
    text.replace(text.find("        4  150"), 9, " 99999999");
    EXPECT_NE(refused(text).find("summary of more than 1000000 launches"), std::string::npos);
}

TEST_F(PrintedTest, MetricsOfAllLaunches) {
    const Profile p = imported(seed("nvprof_metrics.csv"));
    ASSERT_EQ(p.device.size(), 1u) << "events and metrics of one kernel";
    EXPECT_EQ(p.device.kind[0], DeviceKind::kOther) << "how long it took is not told";
    EXPECT_EQ(p.device.flags[0] & kInstant, kInstant);
    const std::vector<std::string> wanted = {
        "invocations = 3.000000",
        "warps_launched = 64.000000",
        "flop_count_sp = 65536.000000",
        "dram_read_transactions (avg) = 200.000000",
        "dram_read_transactions (min) = 100.000000",
        "dram_read_transactions (max) = 300.000000",
        "gld_throughput [byte/s] = 1610612736.000000",
        "tensor_precision_fu_utilization = 0.000000",
        "sm_efficiency [%] = 98.320000",
    };
    EXPECT_EQ(counters(p), wanted);
}

TEST_F(PrintedTest, MetricsOfSingleLaunches) {
    const Profile p = imported(seed("nvprof_launch_metrics.csv"));
    ASSERT_EQ(p.device.size(), 2u);
    EXPECT_EQ(text(p, p.device.name[0]), "k(float*, int)") << "commas without quotes";
    const std::vector<std::string> wanted = {"flop_count_sp = 4096.000000", "dram_utilization = 1.000000",
                                             "flop_count_sp = 8192.000000", "dram_utilization = 5.000000"};
    EXPECT_EQ(counters(p), wanted);
}

TEST_F(PrintedTest, WithoutATableItIsRefused) {
    EXPECT_NE(refused("==9== NVPROF is profiling process 9, command: ./a\nhello\n").find("without a table"),
              std::string::npos);
    EXPECT_NE(refused("==9== Profiling result:\n   Start  Duration  Name\n").find("have no rows"),
              std::string::npos);
}

TEST_F(PrintedTest, ProcessesAreRanks) {
    const std::string table = "   Start  Duration  Name\n17.181ms  6.7400us  cuInit\n";
    const Profile p =
        imported("==7== Profiling result:\n" + table + "==8== Profiling result:\n" + table + "==7== done\n");
    EXPECT_EQ(p.ranks.size(), 2u) << "each counts time from its own begin";
    EXPECT_EQ(p.host.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kNotOneJob), 0);
}

// A log that runs were added to.
TEST_F(PrintedTest, ProcessesOneAfterAnotherAreNoJob) {
    const auto begin = [](int pid) {
        return fmt::format("=={0}== NVPROF is profiling process {0}, command: ./a\n", pid);
    };
    const auto result = [](int pid) {
        return fmt::format(
            "=={}== Profiling result:\n   Start  Duration  Name\n17.181ms  6.7400us  cuInit\n\n", pid);
    };
    const std::string other = "commit: 5a71d4b\n";
    EXPECT_EQ(
        imported(begin(7) + result(7) + other + begin(8) + result(8)).diagnostics.count(Diag::kNotOneJob), 1);
    EXPECT_EQ(imported(begin(7) + result(7) + begin(8) + result(8)).diagnostics.count(Diag::kNotOneJob), 0)
        << "logs of ranks, joined";
    EXPECT_EQ(imported(begin(7) + begin(8) + result(7) + result(8)).diagnostics.count(Diag::kNotOneJob), 0);
}

TEST(PrintedAmounts, Units) {
    using namespace nvprof;
    EXPECT_EQ(ns_of(read_amount("133.81ms")), 133810000);
    EXPECT_EQ(ns_of(read_amount("2.4e+03s")), 2400000000000);
    EXPECT_EQ(ns_of(read_amount("1.5", "us")), 1500);
    EXPECT_DOUBLE_EQ(read_amount("133.81ms")->step, 10000);
    EXPECT_EQ(read_amount("Mid (5)")->value, 5);
    EXPECT_EQ(read_amount("1.000000KB/s")->value, 1024);
    for (const char* none : {"-", "", "ms", "nan", "inf", "3parsec", "1e999s"})
        EXPECT_FALSE(read_amount(none)) << none;
    for (const char* bad : {"-1ms", "1e300s", "5B", "5"})
        EXPECT_EQ(ns_of(read_amount(bad)), -1) << bad;
}

TEST(PrintedTables, OnlyTheirFirstLines) {
    using nvprof::PrintedTable;
    EXPECT_TRUE(PrintedTable::of("\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\""));
    EXPECT_FALSE(PrintedTable::of("Start,End,Name"));
    EXPECT_FALSE(PrintedTable::of("Start the engine  now  please"));
    EXPECT_FALSE(PrintedTable::of("ms,us,,,,,,,,KB"));
}

}  // namespace
}  // namespace opsight::importer
