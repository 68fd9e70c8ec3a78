#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/test_files.h"
#include "import/import.h"

namespace opsight::importer {
namespace {

// A cycle of a profiler: steps of 100 us from `at` (us) on, of process 7, each with an op, a launch and a
// kernel.
struct Cycle {
    int64_t at = 0, first = 0, count = 3, correlation = 1;
    std::string head = {};  // members of the document
    int64_t pid = 7;
    std::string op = "aten::mm", kernel = "volta_sgemm_128x64_nn";
    int64_t first_id = -1;  // of its ops; -1: not told
};

std::string trace_of(const Cycle& c) {
    std::string events;
    const auto add = [&](std::string_view name, std::string_view category, int64_t at, int64_t pid,
                         int64_t tid, std::string_view args) {
        events += fmt::format(
            "{}{{\"ph\": \"X\", \"name\": \"{}\", \"cat\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": {}, "
            "\"dur\": "
            "{}, \"args\": {{{}}}}}",
            events.empty() ? "" : ",\n", name, category, pid, tid, at,
            category == "user_annotation" ? 100 : 50, args);
    };
    for (int64_t i = 0; i < c.count; ++i) {
        const int64_t at = c.at + 100 * i;
        const std::string correlation = fmt::format("\"correlation\": {}", c.correlation + i);
        add(fmt::format("ProfilerStep#{}", c.first + i), "user_annotation", at, c.pid, c.pid, "");
        add(c.op, "cpu_op", at + 10, c.pid, c.pid,
            c.first_id < 0 ? "" : fmt::format("\"External id\": {}", c.first_id + i));
        add("cudaLaunchKernel", "cuda_runtime", at + 20, c.pid, c.pid, correlation);
        add(c.kernel, "kernel", at + 30, 0, 7, correlation + ", \"device\": 0, \"stream\": 7");
    }
    return fmt::format("{{\"schemaVersion\": 1, {}\"traceEvents\": [{}]}}", c.head, events);
}

class CyclesTest : public ::testing::Test {
  protected:
    Profile imported(const std::vector<std::pair<std::string, Cycle>>& files) {
        std::vector<std::string> paths;
        for (const auto& [name, cycle] : files)
            paths.push_back(folder_.write(name, trace_of(cycle)));
        Result<Profile> profile = import_files(paths);
        EXPECT_TRUE(profile) << profile.error().message();
        return profile ? std::move(profile).value() : Profile();
    }
    size_t ranks_of(const Cycle& first, const Cycle& second,
                    const char* name = "h_7.1700000000200.pt.trace.json") {
        return imported({{"h_7.1700000000100.pt.trace.json", first}, {name, second}}).ranks.size();
    }
    testing::TempFolder folder_;
};

constexpr int64_t kFirst = 1'700'000'000'000'000;  // us since 1970

TEST_F(CyclesTest, OfOneProcessAreOneRecording) {
    const Profile p = imported({{"h_7.1700000000200.pt.trace.json", {kFirst + 5000, 10, 3, 1}},
                                {"h_7.1700000000100.pt.trace.json", {kFirst, 2, 3, 1}}});
    ASSERT_EQ(p.ranks.size(), 1u);
    EXPECT_EQ(p.devices.size(), 1u);
    EXPECT_EQ(p.tracks.size(), 2u) << "one thread, one stream";
    EXPECT_EQ(p.host.size(), 18u);
    EXPECT_EQ(p.device.size(), 6u);
    ASSERT_EQ(p.pauses.size(), 1u);
    EXPECT_EQ(p.pauses[0].rank, RankId(0));
    EXPECT_EQ(p.pauses[0].begin, 300'000);
    EXPECT_EQ(p.pauses[0].end, 5'000'000);
    std::set<int64_t> correlations(p.device.correlation.begin(), p.device.correlation.end());
    EXPECT_EQ(correlations.size(), 6u) << "numbers that begin anew do not tie spans of two cycles";
    for (size_t row = 0; row < p.device.size(); ++row) {
        size_t calls = 0;
        for (size_t i = 0; i < p.host.size(); ++i)
            if (p.host.kind[i] == HostKind::kRuntimeApi &&
                p.api_correlation[p.host.detail[i]] == p.device.correlation[row] &&
                p.host.begin[i] == p.device.begin[row] - 10'000)
                ++calls;
        EXPECT_EQ(calls, 1u);
    }
    EXPECT_EQ(p.diagnostics.count(Diag::kJoinedCycles), 1);
    EXPECT_EQ(p.diagnostics.count(Diag::kRankMissing), 1);
}

TEST_F(CyclesTest, OfSeveralRanksStayTheirs) {
    const auto head = [](int rank) {
        return fmt::format("\"distributedInfo\": {{\"rank\": {}, \"world_size\": 2}}, ", rank);
    };
    const Profile p =
        imported({{"a_7.1700000000100.pt.trace.json", {kFirst, 2, 3, 1, head(0)}},
                  {"a_7.1700000000200.pt.trace.json", {kFirst + 5000, 10, 3, 100, head(0)}},
                  {"b_8.1700000000100.pt.trace.json", {kFirst, 2, 3, 1, head(1), 8}},
                  {"b_8.1700000000200.pt.trace.json", {kFirst + 5000, 10, 3, 100, head(1), 8}}});
    ASSERT_EQ(p.ranks.size(), 2u);
    EXPECT_EQ(p.ranks[0].number, 0);
    EXPECT_EQ(p.ranks[1].number, 1);
    EXPECT_EQ(p.pauses.size(), 2u);
    EXPECT_EQ(p.diagnostics.count(Diag::kRankDuplicate), 0);
    for (size_t row = 0; row < p.host.size(); ++row) {
        const Track& track = p.tracks[p.host.track[row].index()];
        EXPECT_EQ(track.pid, track.rank == RankId(0) ? 7 : 8);
    }
}

TEST_F(CyclesTest, WhatMayBeAnotherRunIsNotJoined) {
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + 5000, 10}), 1u);
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + 5000, 2}), 2u) << "its steps begin anew";
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + 3'600'000'000, 10}), 2u) << "an hour for six short steps";
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + 5000, 10, 3, 1, {}, 8}), 2u) << "another process";
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + 5000, 10}, "g_7.1700000000200.pt.trace.json"), 2u)
        << "another host";
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + 100, 10}), 2u) << "at once";
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + 5000, 10}, "rank1.json"), 2u) << "named as another rank";
    EXPECT_EQ(
        ranks_of({kFirst, 2}, {kFirst + 5000, 10, 3, 1, {}, 7, "aten::conv2d", "implicit_convolve_sgemm"}),
        2u)
        << "another program";
}

// Ten seconds are enough for a process of its own to start and to run ten short steps.
TEST_F(CyclesTest, RunsInFreshContainersAreNotJoined) {
    const auto with_ids = [](int64_t at, int64_t step, int64_t id) {
        return Cycle{kFirst + at, step, 3, 1, {}, 7, "aten::mm", "volta_sgemm_128x64_nn", id};
    };
    constexpr int64_t kLater = 10'000'000;
    EXPECT_EQ(ranks_of(with_ids(0, 2, 1), with_ids(kLater, 10, 1025)), 1u);
    EXPECT_EQ(ranks_of(with_ids(0, 2, 1), with_ids(kLater, 10, 1)), 2u) << "its ops are numbered from 1";
    EXPECT_EQ(ranks_of(with_ids(0, 2, 1), with_ids(5000, 10, 3)), 2u);
    EXPECT_EQ(ranks_of({kFirst, 2}, {kFirst + kLater, 10}), 2u) << "nothing tells";
    const Profile p = imported({{"h_7.1700000000100.pt.trace.json", {kFirst, 2}},
                                {"h_7.1700000000200.pt.trace.json", {kFirst + kLater, 10}}});
    EXPECT_EQ(p.diagnostics.count(Diag::kJoinedCycles), 0);
}

// PyTorch without Kineto begins each file's times anew: they are placed by when the files were written.
TEST_F(CyclesTest, OfTimesThatBeginAnewArePlacedByTheirNames) {
    const Profile p = imported(
        {{"h_7.1700000000100.pt.trace.json", {100, 2}}, {"h_7.1700000000200.pt.trace.json", {50, 10}}});
    ASSERT_EQ(p.ranks.size(), 1u);
    ASSERT_EQ(p.pauses.size(), 1u);
    EXPECT_EQ(p.pauses[0].begin, 300'000);
    EXPECT_EQ(p.pauses[0].end, 100'000'000) << "written 100 ms apart, both as they had ended";
    EXPECT_EQ(imported({{"a.json", {100, 2}}, {"b.json", {50, 10}}}).ranks.size(), 2u)
        << "names tell nothing";
}

}  // namespace
}  // namespace opsight::importer
