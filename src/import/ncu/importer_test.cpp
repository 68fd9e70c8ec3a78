#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/test_files.h"
#include "import/import.h"
#include "import/ncu/amounts.h"
#include "import/ncu/nvtx_ranges.h"

namespace opsight::importer {
namespace {

using testing::gzip;
using testing::TempFolder;

const std::string kFirst =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block "
    "Size\","
    "\"Grid Size\",\"Device\",\"CC\",";
const std::string kDetails = kFirst + "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"";

std::string launch(int id, const std::string& kernel) {
    return "\"" + std::to_string(id) + "\",\"77\",\"python3\",\"127.0.0.1\",\"" + kernel +
           "\",\"1\",\"7\",\"(256, 2, 1)\",\"(1024, 1, 3)\",\"0\",\"8.0\",";
}
std::string metric(int id, const std::string& name, const std::string& unit, const std::string& value) {
    return launch(id, "k<int, 2>(a, b)") + "\"S\",\"" + name + "\",\"" + unit + "\",\"" + value + "\"\n";
}

// As 'ncu --print-summary per-kernel' has it. `values`: least, greatest, average.
const std::string kSummary =
    "\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\","
    "\"CC\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\","
    "\"Average\"\n";
std::string sum(const std::string& kernel, int launches, const std::string& name, const std::string& unit,
                const std::string& values) {
    return "\"77\",\"python3\",\"127.0.0.1\",\"" + kernel +
           "\",\"(256, 2, 1)\",\"(1024, 1, 3)\",\"0\",\"8.0\",\"" + std::to_string(launches) + "\",\"S\",\"" +
           name + "\",\"" + unit + "\"," + values + "\n";
}

class NcuTest : public ::testing::Test {
  protected:
    Profile imported(const std::string& text) {
        Result<Profile> profile = import_files({folder_.write("a.csv", text)}, {}, &facts_);
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    std::string refused(const std::string& text) {
        const Result<Profile> profile = import_files({folder_.write("a.csv", text)});
        EXPECT_FALSE(profile);
        return profile ? "" : profile.error().message();
    }
    static std::string text(const Profile& p, StringId id) { return std::string(p.strings.view(id)); }
    // "name = value" of each counter of the kernel in that row.
    static std::vector<std::string> counters(const Profile& p, size_t row) {
        std::vector<std::string> found;
        for (size_t i = 0; i < p.counters.size(); ++i)
            if (p.counters.time[i] == p.device.begin[row] &&
                p.tracks[p.counters.track[i].index()].pid_text == p.device.name[row])
                found.push_back(text(p, p.counters.name[i]) + " = " + std::to_string(p.counters.value[i]));
        return found;
    }
    static std::string property(const Profile& p, const std::string& key) {
        for (const auto& [name, value] : p.info.properties)
            if (name == key) return value;
        return "(none)";
    }

    TempFolder folder_;
    ImportFacts facts_;
};

TEST_F(NcuTest, OneRowAMetric) {
    const Profile p = imported(
        "step 1 of \"2\n==PROF== Connected to process 77 (/usr/bin/python3)\n==PROF== Profiling \"k\": "
        "0%...\n" +
        kDetails + ",\"Rule Name\",\"Rule Type\",\"Rule Description\"\n" +
        metric(0, "Duration", "ns", "21,058,944") + metric(0, "DRAM Frequency", "Ghz", "5.01") +
        metric(0, "Registers Per Thread", "register/thread", "32") +
        metric(0, "Static Shared Memory Per Block", "Kbyte/block", "1.02") +
        metric(0, "Function Cache Configuration", "", "CachePreferNone") + launch(0, "k<int, 2>(a, b)") +
        "\"SpeedOfLight\",\"\",\"\",\"\",\"Bottleneck\",\"OPT\",\"Memory is \"\"busy\"\", look there\"\n" +
        "==PROF== Disconnected\n" + metric(1, "Duration", "us", "3.5"));
    ASSERT_EQ(p.device.size(), 2u);
    EXPECT_EQ(text(p, p.device.name[0]), "k<int, 2>(a, b)");
    EXPECT_EQ(p.device.dur[0], 21058944);
    EXPECT_EQ(p.device.begin[1], 21058944) << "one behind the other";
    EXPECT_EQ(p.device.dur[1], 3500);
    EXPECT_EQ(property(p, "source.times"), "in order");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 2) << "a text and a rule's advice";
    const LaunchConfig& config = p.launch_configs[p.device.config[0].index()];
    EXPECT_EQ(config.grid[0] * 100 + config.grid[2], 102403);
    EXPECT_EQ(config.block[0] * 100 + config.block[1], 25602);
    EXPECT_EQ(config.registers_per_thread, 32);
    EXPECT_EQ(config.static_shared_bytes, 1020);
    const Track& track = p.tracks[p.device.track[0].index()];
    EXPECT_EQ(track.pid, 77);
    EXPECT_EQ(track.stream, 7);
    EXPECT_EQ(text(p, track.process_name), "python3");
    EXPECT_EQ(p.devices.at(0).compute_major, 8);
    const std::vector<std::string> wanted = {"S: Duration [ns] = 21058944.000000",
                                             "S: DRAM Frequency [hz] = 5010000000.000000",
                                             "S: Registers Per Thread [register/thread] = 32.000000",
                                             "S: Static Shared Memory Per Block [byte/block] = 1020.000000"};
    EXPECT_EQ(counters(p, 0), wanted);
    EXPECT_EQ(facts_.events, 5u);
}

TEST_F(NcuTest, OneRowALaunch) {
    const std::string table =
        kFirst + "\"dram__bytes.sum\",\"gpu__time_duration.sum\",\"device__attribute_display_name\"\r\n" +
        "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"msecond\",\"\"\r\n" +
        launch(0, "a") + "\"1,024.5\",\"0.25\",\"NVIDIA A100\"\r\n" + launch(1, "b") +
        "\"1\",\"n/a\",\"NVIDIA A100\"\r\n";
    for (const std::string& file : {table, gzip(table)}) {
        const Profile p = imported(file);
        ASSERT_EQ(p.device.size(), 2u);
        EXPECT_EQ(p.device.kind[1], DeviceKind::kOther) << "b has no time: it is no kernel of 0 ns";
        EXPECT_EQ(p.device.dur[0], 250000);
        EXPECT_EQ(p.diagnostics.count(Diag::kMissingEnd), 1);
        EXPECT_EQ(p.devices.at(0).name, "NVIDIA A100");
        EXPECT_EQ(counters(p, 0).at(0), "dram__bytes.sum [byte] = 1024500000.000000");
        EXPECT_EQ(p.counters.size(), 3u) << "n/a is no value, and b keeps its bytes";
    }
}

TEST_F(NcuTest, RangesOfNvtxAndTimeFromCycles) {
    const Profile p = imported(
        kFirst +
        "\"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Section Name\","
        "\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" +
        launch(0, "k") +
        "\"1 \"\"<default domain>:step\"\"\",\"C\",\"sm__cycles_elapsed.avg\",\"cycle\",\"2,000\"\n" +
        launch(0, "k") +
        "\"1 \"\"<default "
        "domain>:step\"\"\",\"C\",\"sm__cycles_elapsed.avg.per_second\",\"cycle/nsecond\",\"1.00\"\n");
    ASSERT_EQ(p.device.size(), 1u);
    EXPECT_EQ(p.device.dur[0], 2000);
    EXPECT_EQ(p.strings.view(p.device.ranges_around(0)), "step");
    ASSERT_EQ(counters(p, 0).size(), 2u);
    EXPECT_EQ(counters(p, 0)[1], "C: sm__cycles_elapsed.avg.per_second [cycle/s] = 1000000000.000000");
}

TEST(NcuRanges, OfLaunchesAndOfSums) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(ncu::range_names("13416  \"<default domain>:block::attention:none:none:none:none:none:none\"  "
                               "\"NCCL:layers.0:none:none:none:none:none:none\" ",
                               true),
              (Names{"block::attention", "layers.0"}));
    EXPECT_EQ(ncu::range_names("\"a:b:none:none:none:none:none:none\"", false), (Names{"a:b"}));
    for (const char* text : {"", "13416", "\"", "\"\"", "7 \"<default domain>:\"", "\":::::::\""})
        EXPECT_EQ(ncu::range_names(text, true), Names{}) << text;
}

TEST_F(NcuTest, TablesBehindEachOtherAndForeignRows) {
    const std::string table = kDetails + "\n" + metric(0, "Duration", "ns", "5");
    const Profile p =
        imported(table + "loss 0.3, step 2\n\n" + table + metric(0, "Waves Per SM", "", "6.40"));
    EXPECT_EQ(p.device.size(), 2u);
    EXPECT_EQ(counters(p, 1).size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
    EXPECT_NE(p.diagnostics.first(Diag::kUnreadRow)[0].text.find("line 3"), std::string::npos);
    const Profile cut = imported(table + launch(1, "k") + "\"S\",\"Duration\",\"ns\",\"1,024");
    EXPECT_EQ(cut.diagnostics.count(Diag::kTruncatedInput), 1);
    EXPECT_EQ(cut.device.size(), 1u) << "who knows how the number went on";
    const Profile short_row = imported(kFirst + "\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n" +
                                       launch(0, "k") + "\"5\",\"2\"\n" + launch(1, "k") + "\"7\"\n");
    EXPECT_EQ(short_row.device.size(), 1u);
    EXPECT_EQ(short_row.diagnostics.count(Diag::kUnreadRow), 1);
}

TEST_F(NcuTest, WhatIsNoTableOfLaunchesIsRefused) {
    EXPECT_NE(refused("==PROF== Connected\n  k (1, 1, 1)\n").find("--csv --page raw"), std::string::npos);
    EXPECT_NE(refused(kDetails + "\n").find("without a launch"), std::string::npos);
    EXPECT_NE(refused("\"ID\",\"Process ID\",\"Metric Name\"\n").find("line 1"), std::string::npos);
    EXPECT_NE(refused(kDetails + "\n\"" + std::string(size_t{5} << 20, 'x')).find("line 2"),
              std::string::npos);
    EXPECT_NE(refused(kDetails + "\n\"x\n" + std::string(size_t{5} << 20, '\n')).find("line 2"),
              std::string::npos);
}

// Times that nobody measured together are not shown beside a recording.
TEST_F(NcuTest, IsNotReadBesideARecording) {
    folder_.write("run/ncu.csv", kDetails + "\n" + metric(0, "Duration", "ns", "5"));
    const std::string run = folder_.path() + "/run";
    EXPECT_EQ(import_files({run})->device.size(), 1u);
    folder_.write(
        "run/trace.json",
        R"({"traceEvents": [{"ph":"X","cat":"cpu_op","name":"x","pid":1,"tid":1,"ts":1,"dur":1}]})");
    const Result<Profile> both = import_files({run});
    ASSERT_TRUE(both);
    EXPECT_EQ(both->device.size(), 0u);
    EXPECT_EQ(both->diagnostics.count(Diag::kSkippedFile), 1);
}

// Each row has a compute capability, "8.0", that ncu prints alike in every locale.
TEST_F(NcuTest, ColumnsOfValuesTellTheLocale) {
    const std::string rows = metric(0, "Duration", "ns", "1.234,5") + metric(0, "Registers", "", "32") +
                             metric(0, "Threads", "thread", "262.144") + metric(0, "Waves", "", "7");
    for (const char* log : {"", "\"0.5\" and \"2.5\" of the program\n"}) {
        const Profile p = imported("==PROF== Connected\n" + std::string(log) + kDetails + "\n" + rows);
        ASSERT_EQ(p.device.size(), 1u);
        EXPECT_EQ(p.device.dur[0], 1235);
        EXPECT_EQ(counters(p, 0)[2], "S: Threads [thread] = 262144.000000");
    }
    const Profile wide = imported(kFirst + "\"gpu__time_duration.sum\",\"n\"\n" + std::string(11 - 1, ',') +
                                  ",\"ns\",\"\"\n" + launch(0, "k") + "\"1.234,5\",\"1.024\"\n");
    EXPECT_EQ(wide.device.dur[0], 1235);
    const Profile sums =
        imported(kSummary + sum("k", 3, "Duration", "ns", "\"1.024,5\",\"1.024,5\",\"1.024,5\""));
    ASSERT_EQ(sums.device.size(), 3u);
    EXPECT_EQ(sums.device.dur[0], 1025);
}

TEST(NcuAmounts, NumbersOfBothLocales) {
    using ncu::Locale, ncu::number;
    EXPECT_EQ(number("4,963,609,951.19", Locale::kPoint), 4963609951.19);
    EXPECT_EQ(number("4.963.609.951,19", Locale::kComma), 4963609951.19);
    EXPECT_EQ(number("1,024", Locale::kPoint), 1024);
    EXPECT_EQ(number("1,024", Locale::kComma), 1.024);
    EXPECT_EQ(number("-4.0e-05", Locale::kPoint), -4.0e-05);
    for (const char* text :
         {"", "n/a", "nan", "inf", "1,02", "1,0245", ",5,000", "1.2.3", "12 (3; 4)", "0x10"})
        EXPECT_EQ(number(text, Locale::kPoint), std::nullopt) << text;
    const auto locale_of = [](std::initializer_list<std::string_view> numbers) {
        ncu::LocaleVotes votes;
        for (const std::string_view text : numbers)
            votes.add(text);
        return votes.most();
    };
    EXPECT_EQ(locale_of({"1.024", "61,71", "9.999.999,5"}), Locale::kComma);
    EXPECT_EQ(locale_of({"1,024", "61.71", "(256, 1, 1)", "7", "1.2 GB"}), Locale::kPoint);
    // Durations alone, as "--metrics gpu__time_duration.sum" prints them: no GPU tells parts of a ns.
    const auto of_whole = [](std::string_view number, std::string_view unit) {
        ncu::LocaleVotes votes;
        votes.add(number, unit);
        return votes.most();
    };
    EXPECT_EQ(of_whole("117.344", "ns"), Locale::kComma);
    EXPECT_EQ(of_whole("117,344", "ns"), Locale::kPoint);
    EXPECT_EQ(of_whole("117.34", "ns"), Locale::kPoint);
    EXPECT_EQ(of_whole("117.344", "us"), Locale::kPoint);
}

TEST(NcuAmounts, Units) {
    const auto base = [](std::string_view unit) {
        const ncu::BaseUnit found = ncu::base_unit(unit);
        return std::to_string(static_cast<int64_t>(found.factor)) + " " + found.name;
    };
    EXPECT_EQ(base("Gbyte/second"), "1000000000 byte/s");
    EXPECT_EQ(base("byte/ns"), "1000000000 byte/s");
    EXPECT_EQ(base("usecond"), "1000 ns");
    EXPECT_EQ(base("s"), "1000000000 ns");
    EXPECT_EQ(base("Mhz"), "1000000 hz");
    EXPECT_EQ(base("inst/cycle"), "1 inst/cycle");
    EXPECT_EQ(base("%"), "1 %");
    EXPECT_EQ(base(""), "1 ");
}

// A real one; its rows were counted with Python's csv.
TEST_F(NcuTest, TableOfATeslaT4) {
    const char* corpus = std::getenv("OPSIGHT_CORPUS");
    const std::string path = std::string(corpus ? corpus : "") + "/ncu-csv/nsightful__copy_blocked.csv";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no corpus";
    const Result<Profile> p = import_files({path}, {}, &facts_);
    ASSERT_TRUE(p) << p.error().message();
    ASSERT_EQ(p->device.size(), 1u);
    EXPECT_EQ(p->device.dur[0], 21058944);
    EXPECT_EQ(facts_.events, 71u) << "72 metrics, one of them a text";
    EXPECT_EQ(p->diagnostics.count(Diag::kUnreadRow), 12) << "that one, and 11 rules";
    EXPECT_EQ(p->devices.at(0).sm_count, 40);
    EXPECT_EQ(p->launch_configs.at(0).registers_per_thread, 32);
    EXPECT_EQ(p->launch_configs.at(0).source_occupancy_pct, 100);
}

TEST_F(NcuTest, SumsOfKernelsAreShownAsTheirLaunches) {
    const Profile p =
        imported("==PROF== Connected to process 77\n" + kSummary +
                 sum("gemm(int)", 5, "Duration", "us", "\"1.00\",\"3.00\",\"2.00\"") +
                 sum("gemm(int)", 5, "L2 Hit Rate", "%", "\"10\",\"90\",\"1,050.5\"") +
                 sum("gemm(int)", 5, "Registers Per Thread", "register/thread", "\"32\",\"32\",\"32\"") +
                 sum("gemm(int)", 5, "Cache Config", "", "\"n/a\",\"n/a\",\"n/a\"") +
                 sum("copy(int)", 2, "Duration", "ns", "\"100\",\"300\",\"200\"") +
                 sum("no_time", 7, "Registers Per Thread", "", "\"8\",\"8\",\"8\""));
    ASSERT_EQ(p.device.size(), 8u);
    int64_t gemm = 0;
    for (size_t row = 0; row < 5; ++row)
        gemm += p.device.dur[row];
    EXPECT_EQ(gemm, 10000) << "the sum is that of the table";
    EXPECT_EQ(p.device.dur[0] + p.device.dur[1], 4000) << "the shortest and the longest";
    EXPECT_EQ(p.device.dur[5] + p.device.dur[6], 400);
    EXPECT_EQ(p.device.flags[7], kInstant) << "how long it took is not told";
    EXPECT_EQ(p.launch_configs[p.device.config[0].index()].registers_per_thread, 32);
    EXPECT_EQ(p.launch_configs[p.device.config[0].index()].grid[2], 3);
    std::vector<std::string> found = counters(p, 0);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, (std::vector<std::string>{
                         "S: Duration [ns] (avg) = 2000.000000", "S: Duration [ns] (max) = 3000.000000",
                         "S: Duration [ns] (min) = 1000.000000", "S: L2 Hit Rate [%] (avg) = 1050.500000",
                         "S: L2 Hit Rate [%] (max) = 90.000000", "S: L2 Hit Rate [%] (min) = 10.000000",
                         "S: Registers Per Thread [register/thread] = 32.000000", "invocations = 5.000000"}));
    EXPECT_EQ(property(p, "source.launches"), "of sums");
    EXPECT_EQ(p.diagnostics.count(Diag::kUnreadRow), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kMissingEnd), 1);
}

TEST_F(NcuTest, SumsOfRangesNameThem) {
    const std::string range =
        "\" \"\"block::attention:none:none:none:none:none:none\"\"  "
        "\"\"gemm:none:none:none:none:none:none\"\" \"";
    const std::string first =
        "\"Domain\",\"Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg\",\"Kernel Name\","
        "\"Invocations\",\"Metric Name\",\"Average\"\n";
    const Profile p = imported(first + "\"<default domain>\"," + range +
                               ",\"nvjet_tst\",\"3\",\"gpu__time_duration.sum\",\"1000\"\n");
    ASSERT_EQ(p.device.size(), 3u);
    EXPECT_EQ(p.device.dur, (std::vector<int64_t>{1000, 1000, 1000}));
    EXPECT_EQ(text(p, p.tracks[p.counters.track[0].index()].pid_text),
              "nvjet_tst in block::attention / gemm");
}

TEST_F(NcuTest, SumsThatNameNoKernelAreRefused) {
    EXPECT_NE(
        refused("\"Device\",\"CC\",\"Invocations\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\","
                "\"Average\"\n\"0\",\"8.0\",\"5\",\"a\",\"\",\"1\",\"1\",\"1\"\n")
            .find("per-kernel"),
        std::string::npos);
    EXPECT_NE(refused(kSummary + sum("gemm", 2000000, "Duration", "ns", "\"1\",\"1\",\"1\""))
                  .find("1000000 launches"),
              std::string::npos);
}

}  // namespace
}  // namespace opsight::importer
