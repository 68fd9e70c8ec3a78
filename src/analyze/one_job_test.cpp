#include <gtest/gtest.h>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"
#include "model/source_limits.h"

namespace opsight::analyze {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct Recorded {
    int64_t begin = 0, number = 0, world_size = -1;
    std::string host = "", gpu = "", source = "";  // else one of its own
};

// Two seconds of each, with one op; the grounds on which they are no job.
std::string grounds(const std::vector<Recorded>& ranks, const std::string& producer = "") {
    ProfileBuilder builder;
    builder.info().producer = producer;
    int files = 0;
    for (const Recorded& each : ranks) {
        const RankId rank =
            builder.begin_rank({.number = each.number,
                                .number_known = each.number >= 0,
                                .world_size = each.world_size,
                                .source = each.source.empty() ? std::to_string(files++) : each.source,
                                .host = each.host});
        if (!each.gpu.empty()) builder.device_info(builder.device(rank, 0)).name = each.gpu;
        builder.add_op({each.begin, 2 * kSecond, builder.host_track(rank, 1, 1), builder.text("aten::mm"),
                        HostKind::kOp, 0},
                       {});
    }
    Profile profile = std::move(builder).finish();
    (void)analyze(profile, {});
    const auto& places = profile.diagnostics.first(Diag::kNotOneJob);
    return places.empty() ? "" : places[0].text;
}

TEST(OneJob, RanksOfOneTimeFitTogether) {
    EXPECT_EQ(grounds({{0, 0, 2}, {kSecond, 1, 2}}), "");
    EXPECT_EQ(grounds({{0, 0, -1}, {30 * kSecond, 1, -1}}), "");
    EXPECT_EQ(grounds({{0, 0, 8, "", "A100"}, {0, 1, 8, "", "H100"}}), "");
}

// As the two files of test_true_headlines.py: traces of a folder.
TEST(OneJob, RecordingsOfOtherTimesDoNot) {
    constexpr int64_t kDay = 86400 * kSecond;
    EXPECT_EQ(grounds({{0, 0},
                       {kSecond, 1},
                       {3 * kDay + 8 * kSecond, 2, -1, "", "MI210"},
                       {10 * kDay, 3, -1, "", "V100"}}),
              "4 recordings, recorded at 3 times with up to 7 days in between by their clocks; on 2 models "
              "of devices: "
              "MI210, V100");
}

// Programs that a script ran one after the other, in one recording; a launcher's ranks have their numbers.
TEST(OneJob, ProgramsOfOneRecordingOneAfterTheOther) {
    const auto of_script = [](int64_t begin, int64_t number = -1) {
        Recorded each{begin, number};
        each.source = "bash sweep.sh";
        return each;
    };
    EXPECT_EQ(grounds({of_script(0), of_script(11 * kSecond)}),
              "2 recordings, 2 of them one after the other, as programs that a script runs");
    EXPECT_EQ(grounds({of_script(0), of_script(kSecond)}), "");
    EXPECT_EQ(grounds({of_script(0, 0), of_script(11 * kSecond, 1)}), "");
}

// A source without times has all of its work at one.
TEST(OneJob, OneProgramThatTakesNoTimeIsOne) {
    ProfileBuilder builder;
    const RankId rank = builder.begin_rank({.source = "metrics.csv"});
    DeviceSpan kernel;
    kernel.kind = DeviceKind::kKernel;
    kernel.track = builder.stream_track(TrackKind::kDeviceStream, builder.device(rank, 0), 0, 0);
    kernel.name = builder.text("k");
    builder.add_device(kernel);
    Profile profile = std::move(builder).finish();
    (void)analyze(profile, {});
    EXPECT_EQ(profile.diagnostics.count(Diag::kNotOneJob), 0);
}

// Clocks of machines may differ by any time.
TEST(OneJob, TimesOfOtherHostsSayNothing) {
    EXPECT_EQ(grounds({{0, 0, 2, "a"}, {9000 * kSecond, 1, 2, "b"}}), "");
    EXPECT_EQ(grounds({{0, 0, 2, "a"}, {9000 * kSecond, 1, 2, "a"}}),
              "2 recordings, recorded at 2 times with up to 2 hours in between by their clocks");
}

// A report of Nsight Systems has a rank for each process.
TEST(OneJob, ProcessesOfOneFileWereRecordedTogether) {
    EXPECT_EQ(grounds({{0, 0, -1, "", "", "a"}, {9000 * kSecond, 1, -1, "", "", "a"}}), "");
}

TEST(OneJob, SizesAndNumbersContradict) {
    EXPECT_EQ(grounds({{0, 0, 8}, {0, 1, 2}, {0, 2, 2}}), "3 recordings, of jobs of 2, 8 ranks");
    EXPECT_EQ(grounds({{0, 0, 1}, {0, 1, 1}}), "2 recordings, 2 of a job of 1 rank");
    EXPECT_EQ(grounds({{0, 3}, {0, 3}}), "2 recordings, 1 with the number of a rank that another one has");
}

// schedule(repeat=2) of torch.profiler: a file for each cycle, of the same process and device.
TEST(OneJob, CyclesOfOneProcessAreNotRanks) {
    const std::string a = "run/node7_851.100.pt.trace.json", b = "run/node7_851.200.pt.trace.json",
                      other = "run/node8_851.200.pt.trace.json";
    const std::string words =
        "2 recordings, 2 with the number of one process one after the other, as cycles of one profiler "
        "(repeat=...) "
        "and runs in fresh containers have: they are not ranks, and each is read as a run of its own";
    EXPECT_EQ(grounds({{0, -1, -1, "", "gpu", a}, {5 * kSecond, -1, -1, "", "gpu", b}}), words);
    EXPECT_EQ(grounds({{0, -1}, {5 * kSecond, -1}}), words) << "whatever the files are called";
    EXPECT_EQ(grounds({{0, -1, -1, "", "gpu", a}, {kSecond, -1, -1, "", "gpu", b}}), "") << "at once";
    EXPECT_EQ(grounds({{0, -1, -1, "", "gpu", a}, {5 * kSecond, -1, -1, "", "gpu", other}}), "")
        << "processes of two machines may have one number";
    EXPECT_EQ(grounds({{0, -1, -1, "a"}, {5 * kSecond, -1, -1, "b"}}), "");
    EXPECT_EQ(grounds({{0, 0}, {5 * kSecond, 1}}), "") << "they tell their ranks";
}

TEST(OneJob, PassesOfRocprofAreNotRanks) {
    const auto passes = [](const std::string& first, const std::string& second, const std::string& producer) {
        return grounds({{0, 0, -1, "", "", first}, {kSecond, 1, -1, "", "", second}}, producer);
    };
    const std::string a = "out/pass_1/7_results.json", b = "out/pass_2/7_results.json";
    EXPECT_EQ(passes(a, b, "rocprofv3"),
              "2 recordings, of 2 passes over one program, each a run of it that counted other counters");
    EXPECT_EQ(passes(a, "out/pass_1/8_results.json", "rocprofv3"), "") << "processes of one pass";
    EXPECT_EQ(passes(a, "pass_2/7_results.json", "rocprofv3"), "") << "another program";
    EXPECT_EQ(passes(a, b, "PyTorch Kineto"), "");
    EXPECT_EQ(passes("pass_x/a", "bypass_2/b", "rocprofv3"), "");
}

// Each a log's file, its ops and what it was read as.
struct Log {
    std::string source;
    std::vector<std::string> ops;
    std::string format = "logs of oneDNN";
};

std::string grounds_of_logs(const std::vector<Log>& logs) {
    ProfileBuilder builder;
    set_parts_of_ops(builder.info());
    for (const Log& log : logs) {
        const RankId rank = builder.begin_rank({.source = log.source,
                                                .format = log.format,
                                                .name_tells = log.source.find("rank") != std::string::npos});
        for (size_t i = 0; i < log.ops.size(); ++i)
            builder.add_op({static_cast<int64_t>(i) * 10, 5, builder.host_track(rank, 0, 0),
                            builder.text(log.ops[i]), HostKind::kOp, 0},
                           {});
    }
    Profile profile = std::move(builder).finish();
    (void)analyze(profile, {});
    const auto& places = profile.diagnostics.first(Diag::kNotOneJob);
    return places.empty() ? "" : places[0].text;
}

TEST(OneJob, LogsOfDifferentProgramsAreNotRanks) {
    const std::vector<std::string> one{"convolution", "pooling", "matmul"},
        other{"lstm", "matmul", "softmax"};
    EXPECT_NE(
        grounds_of_logs({{"a.log", one}, {"b.log", other}}).find("have 20 % of their primitives in common"),
        std::string::npos);
    EXPECT_EQ(grounds_of_logs({{"a.log", one}, {"b.log", one}}), "");
    EXPECT_EQ(grounds_of_logs({{"rank0.log", one}, {"rank1.log", other}}), "") << "stages of a pipeline";
}

TEST(OneJob, FilesOfDifferentKindsAreNotRanks) {
    EXPECT_EQ(
        grounds_of_logs({{"rank0.log", {"matmul"}}, {"rank1.txt", {"matmul"}, "output of nvprof"}}),
        "2 recordings, of 2 kinds, which are not ranks of each other: logs of oneDNN; output of nvprof");
}

TEST(OneJob, AProfileOfNothingSaysSo) {
    TestProfile t;
    Profile profile = t.finish();
    (void)analyze(profile, {});
    EXPECT_EQ(profile.diagnostics.count(Diag::kNothingRecorded), 1);
    TestProfile other;
    other.op("aten::mm", 0, 10);
    Profile some = other.finish();
    (void)analyze(some, {});
    EXPECT_EQ(some.diagnostics.count(Diag::kNothingRecorded), 0);
}

TEST(OneJob, SumsOverCallsAreSomething) {
    for (const bool says : {true, false}) {
        TestProfile t;
        t.builder.add_counter(0, t.builder.other_track(RankId(0), "cudaMalloc", "API calls"),
                              t.builder.text("calls"), 3);
        if (says) set_device_only(t.builder.info(), "sums over all calls");
        Profile profile = t.finish();
        (void)analyze(profile, {});
        EXPECT_EQ(profile.diagnostics.count(Diag::kNothingRecorded), says ? 0 : 1);
    }
}

}  // namespace
}  // namespace opsight::analyze
