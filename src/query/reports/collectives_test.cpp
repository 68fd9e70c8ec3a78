// Collectives over the ranks that took part in them.
#include <gmock/gmock.h>

#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

constexpr int64_t kMs = 1'000'000;

struct Member {
    int64_t rank, begin, dur;
};

// An all-reduce of 100 million bytes in a group of two.
DeviceSpan all_reduce(analyze::TestProfile& t, const Member& member) {
    Collective collective;
    collective.name = t.builder.text("allreduce");
    collective.dtype = t.builder.text("Float");
    collective.group_name = t.builder.text("dp");
    collective.in_elements = collective.out_elements = 25'000'000;
    collective.group_size = 2;
    DeviceSpan kernel;
    kernel.begin = member.begin;
    kernel.dur = member.dur;
    kernel.track = t.stream();
    kernel.kind = DeviceKind::kKernel;
    kernel.collective = t.builder.collective(collective);
    return kernel;
}

// Each rank's own clock: rank 1 is 7 seconds ahead.
StoredProfile ranks_of(const std::vector<Member>& members) {
    analyze::TestProfile t;
    int64_t rank = 0;
    for (const Member& member : members) {
        if (member.rank != rank) t.add_rank(rank = member.rank);
        t.device(all_reduce(t, member), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)");
    }
    return StoredProfile(std::move(t));
}

// No loading of data was recorded, and no iteration.
TEST(Ranks, TellNoTimeOfWhatWasNotRecorded) {
    const StoredProfile stored = ranks_of({{0, 0, 30 * kMs}, {1, 0, 10 * kMs}});
    Session session = stored.open();
    const ResultTable sums = table_of(session, "ranks");
    EXPECT_TRUE(is_empty(cell(sums, "loading_ns")));
    EXPECT_EQ(cell(sums, "computing_ns"), Cell(int64_t{0}));
    EXPECT_EQ(cell(sums, "iterations"), Cell(int64_t{0}));
    EXPECT_EQ(cell(table_of(session, "stragglers"), "iterations"), Cell(int64_t{0}));
    EXPECT_TRUE(is_empty(cell(table_of(session, "rank_iterations"), "loading_ns")));
}

TEST(Collectives, WhatOthersTakeLongerThanTheLastIsWaiting) {
    constexpr int64_t kAhead = 7000 * kMs;
    const StoredProfile stored = ranks_of({{0, 0, 30 * kMs},
                                           {0, 100 * kMs, 10 * kMs},
                                           {1, kAhead, 10 * kMs},
                                           {1, kAhead + 100 * kMs, 14 * kMs}});
    Session session = stored.open();
    const ResultTable table = table_of(session, "collectives");
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(cell(table, "collective"), Cell(std::string("allreduce")));
    EXPECT_EQ(cell(table, "group"), Cell(std::string("dp")));
    EXPECT_EQ(number(cell(table, "ranks")), 2);
    EXPECT_EQ(number(cell(table, "bytes")), 100'000'000);
    EXPECT_EQ(number(cell(table, "collectives")), 2);
    EXPECT_EQ(number(cell(table, "matched")), 2);
    EXPECT_EQ(number(cell(table, "total_gpu_time_ns")), 64 * kMs);
    EXPECT_EQ(number(cell(table, "waiting_ns")), 24 * kMs);
    EXPECT_EQ(number(cell(table, "first_waiting_ns")), 20 * kMs);
    EXPECT_EQ(number(cell(table, "last_rank")), 0);  // of the others
    EXPECT_EQ(number(cell(table, "last_times")), 1);
    EXPECT_EQ(number(cell(table, "transfer_ns")), 10 * kMs);
    EXPECT_NEAR(number(cell(table, "bytes_per_s")), 1e10, 1);
    EXPECT_NEAR(number(cell(table, "bus_bytes_per_s")), 1e10, 1);  // 2 (n - 1) / n of it: n = 2
}

// Of NCCL's kernel alone it is not known which of both it was.
TEST(Collectives, SendsAndReceivesAreNamedPointToPoint) {
    analyze::TestProfile t;
    const auto add = [&](const char* call, const char* kernel, int64_t at) {
        DeviceSpan span;
        span.begin = at;
        span.dur = kMs;
        span.track = t.stream();
        span.kind = DeviceKind::kKernel;
        if (*call) {
            Collective collective;
            collective.name = t.builder.text(call);
            span.collective = t.builder.collective(collective);
        }
        t.device(span, kernel);
    };
    const char* pairs = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
    add("send", pairs, 0);
    add("all_to_allv", pairs, 2 * kMs);
    add("", pairs, 4 * kMs);
    add("", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 6 * kMs);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    for (const char* report : {"collectives", "collective_calls"}) {
        const ResultTable table = table_of(session, report);
        const auto kind_of = [&](const char* operation) {
            return std::get<std::string>(cell(table, "exchange", "collective", operation));
        };
        EXPECT_EQ(kind_of("send"), "point-to-point") << report;
        EXPECT_EQ(kind_of("all_to_allv"), "collective") << report;
        EXPECT_EQ(kind_of("ncclDevKernel_SendRecv"), "point-to-point or all-to-all") << report;
        EXPECT_EQ(kind_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), "collective") << report;
    }
}

// One rank's kernel may have waited for the other, which is not there.
TEST(Collectives, OfOneRankOfTheGroupNoWaitingIsTold) {
    const StoredProfile stored = ranks_of({{0, 0, 20 * kMs}, {0, 100 * kMs, 40 * kMs}});
    Session session = stored.open();
    const ResultTable table = table_of(session, "collectives");
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(number(cell(table, "matched")), 0);
    for (const char* key : {"waiting_ns", "waiting_pct", "last_rank", "last_times"})
        EXPECT_TRUE(is_empty(cell(table, key))) << key;
    EXPECT_NEAR(number(cell(table, "bytes_per_s")), 1e8 / 0.03, 1);
}

// Rank 0 did one more, before rank 1 began to record: which one that was the times tell, where they agree.
TEST(Collectives, WhatARankDidNotRecordIsFoundByTime) {
    const StoredProfile stored =
        ranks_of({{0, 0, 10 * kMs}, {0, 100 * kMs, 12 * kMs}, {1, 102 * kMs, 10 * kMs}});
    Session session = stored.open();
    const ResultTable table = table_of(session, "collectives");
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(number(cell(table, "collectives")), 2);
    EXPECT_EQ(number(cell(table, "matched")), 1);
    EXPECT_EQ(number(cell(table, "waiting_ns")), 2 * kMs);
}

// Where they do not, each would be with another's next.
TEST(Collectives, WhereARankHasFewerAndClocksDifferNoWaitingIsTold) {
    const StoredProfile stored =
        ranks_of({{0, 0, 10 * kMs}, {0, 100 * kMs, 10 * kMs}, {1, 7100 * kMs, 10 * kMs}});
    Session session = stored.open();
    const ResultTable table = table_of(session, "collectives");
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(number(cell(table, "matched")), 0);
    for (const char* key : {"waiting_ns", "last_rank"})
        EXPECT_TRUE(is_empty(cell(table, key))) << key;
    const auto report = make_report(session, "collectives", {});
    ASSERT_TRUE(report.has_value());
    ASSERT_EQ(report->notes.size(), 1u);
    EXPECT_NE(report->notes[0].find("waiting cannot be told from transfer"), std::string::npos);
    const auto groups = make_report(session, "groups", {});
    ASSERT_TRUE(groups.has_value());
    const std::vector<std::string>& notes = groups->sections.at(0).table.notes;
    ASSERT_FALSE(notes.empty());
    EXPECT_NE(notes[0].find("3 operations are not matched among all of their ranks"), std::string::npos)
        << notes[0];
}

// Two ranks of a job of more, in a group whose size is not told.
TEST(Collectives, OfSomeRanksOfAJobNoWaitingIsTold) {
    for (const int64_t world : {2, 128}) {
        analyze::TestProfile t;
        for (const int64_t rank : {0, 1}) {
            if (rank > 0) t.add_rank(rank);
            t.builder.rank(RankId(static_cast<size_t>(rank))).world_size = world;
            t.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 0, (1 + rank) * kMs,
                     t.stream());
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        const ResultTable table = table_of(session, "collectives");
        EXPECT_EQ(number(cell(table, "matched")), world == 2 ? 1 : 0);
        EXPECT_EQ(is_empty(cell(table, "ranks")), world != 2);
        EXPECT_EQ(is_empty(cell(table, "waiting_ns")), world != 2);
    }
}

// Older traces tell it of the op only.
TEST(Collectives, AreDescribedByTheOpWhereTheKernelIsNot) {
    analyze::TestProfile t;
    Collective collective;
    collective.name = t.builder.text("allreduce");
    collective.dtype = t.builder.text("Float");
    collective.in_elements = collective.out_elements = 25'000'000;
    OpDetail detail;
    detail.collective = t.builder.collective(collective);
    t.op("record_param_comms", 0, 100, t.thread(), detail);
    t.api("cudaLaunchKernel", 10, 5, t.thread(), 1);
    t.api("cudaLaunchKernel", 20, 5, t.thread(), 2);
    t.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", 1000, kMs, t.stream(), 1);
    t.kernel("elementwise", 1000 + kMs, kMs, t.stream(), 2);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable table = table_of(session, "collectives");
    ASSERT_EQ(table.rows.size(), 1u);  // the other kernel is none for standing under the op
    EXPECT_EQ(cell(table, "collective"), Cell(std::string("allreduce")));
    EXPECT_EQ(number(cell(table, "bytes")), 100'000'000);
}

TEST(Collectives, WithoutSizesNoRatesAreTold) {
    analyze::TestProfile t;
    t.kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)", 0, kMs, t.stream());
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    const ResultTable table = table_of(session, "collectives");
    ASSERT_EQ(table.rows.size(), 1u);
    for (const char* key : {"bytes", "ranks", "bytes_per_s", "bus_bytes_per_s", "waiting_ns"})
        EXPECT_TRUE(is_empty(cell(table, key))) << key;
}

// By NCCL's tests: what each link must carry at least, for a byte of the collective's size.
TEST(Collectives, BusBytesFollowTheKind) {
    analyze::TestProfile t;
    t.op("aten::mm", 0, 10);
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    table_of(session, "collectives");
    const std::pair<const char*, double> kinds[] = {{"allreduce", 1.75},
                                                    {"ncclDevKernel_AllReduce_Sum", 1.75},
                                                    {"_allgather_base", 0.875},
                                                    {"reduce_scatter", 0.875},
                                                    {"all_to_allv", 0.875},
                                                    {"broadcast", 1},
                                                    {"send", 1},
                                                    {"ncclDevKernel_SendRecv", 1},
                                                    {"reduce", 1}};
    for (const auto& [kind, factor] : kinds)
        EXPECT_EQ(number(value_of(session, std::string("SELECT bus_factor('") + kind + "', 8)")), factor)
            << kind;
    EXPECT_TRUE(is_empty(value_of(session, "SELECT bus_factor('barrier', 8)")));
    EXPECT_TRUE(is_empty(value_of(session, "SELECT bus_factor('allreduce', NULL)")));
}

}  // namespace
}  // namespace opsight::query
