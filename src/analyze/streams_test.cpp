#include "analyze/streams.h"

#include <gtest/gtest.h>

#include <map>

#include "analyze/analyze.h"
#include "analyze/test_profile.h"

namespace opsight::analyze {
namespace {

StreamSpan span(int64_t launch, int64_t begin, int64_t end, int32_t iteration = 0, size_t stream = 0) {
    return {TrackId(stream), begin, end - begin, launch, true, iteration, -1};
}

TEST(Streams, PausesOfTheRecordingAreNoGaps) {
    StreamSpan first = span(0, 100, 200), second = span(950, 1000, 1100);
    first.rank = second.rank = RankId(0);
    const auto stats = sum_streams({first, second}, {{RankId(0), 250, 900}});
    ASSERT_EQ(stats.size(), 1u);
    EXPECT_EQ(stats[0].host_wait_ns, 800 - 650);
    EXPECT_EQ(sum_streams({first, second}, {{RankId(1), 250, 900}})[0].host_wait_ns, 800) << "another rank's";
}

// A stream that was last used long before: what lies before the iteration is in those before, or in none.
TEST(Streams, AGapIsInTheIterationsInWhichItLies) {
    StreamSpan first = span(110, 120, 200, 0), second = span(950, 1000, 1100, 2);
    first.rank = second.rank = RankId(0);
    const std::vector<IterationTime> iterations{{RankId(0), 100, 300, 0},
                                                {RankId(0), 400, 900, 1},
                                                {RankId(0), 900, 1200, 2},
                                                {RankId(1), 0, 2000, 0}};
    std::map<int32_t, int64_t> waits;
    for (const StreamStats& s : sum_streams({first, second}, {}, iterations))
        waits[s.iteration] = s.host_wait_ns;
    EXPECT_EQ(waits, (std::map<int32_t, int64_t>{{-1, 100}, {0, 100}, {1, 500}, {2, 100}}));
    second.iteration = -1;  // launched behind the last of them: what lies in that is its wait all the same
    second.launch_ns = 1300, second.begin = 1400;
    waits.clear();
    for (const StreamStats& s : sum_streams({first, second}, {}, iterations))
        waits[s.iteration] = s.host_wait_ns;
    EXPECT_EQ(waits, (std::map<int32_t, int64_t>{{-1, 300}, {0, 100}, {1, 500}, {2, 300}}));
}

TEST(Streams, GapsByTheirCause) {
    const auto stats = sum_streams({
        span(0, 100, 200),     // the first has no gap before it
        span(50, 210, 300),    // launched long ago, 10 ns: queued wait
        span(60, 330, 400),    // launched long ago, 30 ns: queued wait
        span(401, 450, 500),   // launched after the one before ended: host wait
        span(520, 520, 600),   // launched after it: host wait, 20 ns
        span(600, 1000, 1100)  // launched as the one before ended, not after: queued wait
    });
    ASSERT_EQ(stats.size(), 1u);
    EXPECT_EQ(stats[0].spans, 6);
    EXPECT_EQ(stats[0].busy_ns, 100 + 90 + 70 + 50 + 80 + 100);
    EXPECT_EQ(stats[0].queued_wait_ns, 10 + 30 + 400);
    EXPECT_EQ(stats[0].host_wait_ns, 50 + 20);
    EXPECT_EQ(stats[0].other_wait_ns, 0);
}

TEST(Streams, BusyAndWaitsCoverAStreamFromEndToEnd) {
    // Spans that overlap count once; a gap begins at the latest end so far.
    const auto stats = sum_streams({span(0, 0, 100), span(0, 20, 50), span(0, 90, 120), span(0, 200, 210)});
    EXPECT_EQ(stats[0].busy_ns, 130);
    EXPECT_EQ(stats[0].queued_wait_ns, 80);
}

TEST(Streams, WorkWithoutALaunchTellsNoCause) {
    StreamSpan second = span(0, 110, 200);
    second.launched = false;
    second.launch_ns = 110;
    const auto stats = sum_streams({span(0, 0, 100), second});
    EXPECT_EQ(stats[0].other_wait_ns, 10);
    EXPECT_EQ(stats[0].host_wait_ns, 0);
    EXPECT_EQ(stats[0].queued_ns, 100 + 90);
}

TEST(Streams, QueueDepth) {
    // Launched at 0, 10 and 20; they end at 100, 200 and 300. At 150, two are left as the fourth is launched.
    const auto stats =
        sum_streams({span(0, 50, 100), span(10, 100, 200), span(20, 200, 300), span(150, 300, 310)});
    EXPECT_EQ(stats[0].queue_max, 3);
    // Mean depth over [0, 310): the integral 1 x 10 + 2 x 10 + 3 x 80 + 2 x 50 + 3 x 50 + 2 x 100 + 1 x 10.
    EXPECT_EQ(stats[0].queued_ns, 10 + 20 + 240 + 100 + 150 + 200 + 10);
}

TEST(Streams, OneCallThatLaunchesMuchQueuesAllOfIt) {
    const auto stats = sum_streams({span(0, 10, 20), span(0, 20, 30), span(0, 30, 40)});
    EXPECT_EQ(stats[0].queue_max, 3);
}

TEST(Streams, WhatEndsAsTheNextIsLaunchedIsNotQueued) {
    const auto stats = sum_streams({span(0, 0, 10), span(10, 10, 20), span(20, 20, 20)});
    EXPECT_EQ(stats[0].queue_max, 1);
}

TEST(Streams, LaunchedInAnotherOrderThanRun) {
    const auto stats = sum_streams({span(50, 60, 70), span(0, 80, 90), span(40, 90, 100)});
    EXPECT_EQ(stats[0].queue_max, 3);
    EXPECT_EQ(stats[0].queued_ns, 20 + 90 + 60);
}

TEST(Streams, ALaunchAfterTheBeginCountsFromTheBegin) {
    const auto stats = sum_streams({span(500, 100, 200)});
    EXPECT_EQ(stats[0].queued_ns, 100);
    EXPECT_EQ(stats[0].queue_max, 1);
}

TEST(Streams, SumsByStreamAndIteration) {
    const auto stats =
        sum_streams({span(0, 0, 10, 0), span(5, 20, 40, 1), span(6, 40, 50, 0), span(0, 5, 9, 1, 3)});
    ASSERT_EQ(stats.size(), 3u);
    EXPECT_EQ(stats[0].iteration, 0);
    EXPECT_EQ(stats[0].spans, 2);
    EXPECT_EQ(stats[0].busy_ns, 20);
    EXPECT_EQ(stats[0].queue_max, 3);  // what iteration 1 had queued waits before it
    EXPECT_EQ(stats[1].iteration, 1);
    EXPECT_EQ(stats[1].queued_wait_ns, 10);  // the gap counts for what ended it
    EXPECT_EQ(stats[1].queue_max, 2);
    EXPECT_EQ(stats[2].stream.index(), 3u);
    EXPECT_EQ(stats[2].busy_ns, 4);
}

TEST(Streams, OccupancyIsWeightedByTimeWhereItIsKnown) {
    StreamSpan low = span(0, 0, 30), high = span(0, 30, 40), unknown = span(0, 40, 90);
    low.occupancy_pct = 25;
    high.occupancy_pct = 100;
    const auto stats = sum_streams({low, high, unknown});
    EXPECT_EQ(stats[0].occupancy_known_ns, 40);
    EXPECT_DOUBLE_EQ(stats[0].occupancy_pct_ns / 40, (25 * 30 + 100 * 10) / 40.0);
}

TEST(Streams, NothingOfNothing) {
    EXPECT_TRUE(sum_streams({}).empty());
}

TEST(Streams, OfAProfile) {
    TestProfile t;
    const TrackId thread = t.thread(), stream = t.stream();
    t.annotation("ProfilerStep#0", 0, 100, thread);
    t.annotation("ProfilerStep#1", 100, 100, thread);
    t.op("op", 10, 150, thread);
    t.api("cudaLaunchKernel", 20, 5, thread, 1);
    t.api("cudaLaunchKernel", 120, 5, thread, 2);
    t.kernel("k", 50, 40, stream, 1);
    t.kernel("Memset", 130, 20, stream, 2, DeviceKind::kMemset);
    t.kernel("wait", 150, 500, stream, 2, DeviceKind::kSync);  // no work
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    ASSERT_EQ(a.streams.size(), 2u);
    EXPECT_EQ(a.streams[0].iteration, 0);
    EXPECT_EQ(a.streams[0].queued_ns, 90 - 20);
    EXPECT_EQ(a.streams[1].iteration, 1);
    EXPECT_EQ(a.streams[0].host_wait_ns, 100 - 90);
    EXPECT_EQ(a.streams[1].host_wait_ns, 130 - 100);
    EXPECT_EQ(a.streams[1].busy_ns, 20);
}

// A V100 has 80 multiprocessors; 1024 threads of 64 registers fill the register file of one.
TEST(Streams, WavesOfALaunch) {
    TestProfile t;
    Device& gpu = t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    gpu.sm_count = 80;
    const auto launch = [&](int64_t blocks, int64_t threads, int64_t begin) {
        LaunchConfig config{.grid = {blocks, 1, 1},
                            .block = {threads, 1, 1},
                            .registers_per_thread = 64,
                            .static_shared_bytes = 0,
                            .dynamic_shared_bytes = 0};
        DeviceSpan s;
        s.begin = begin;
        s.dur = 10;
        s.track = t.stream();
        s.kind = DeviceKind::kKernel;
        s.config = t.builder.launch_config(config);
        t.device(s, "k");
    };
    launch(200, 1024, 0);
    launch(160, 512, 10);
    launch(20, 2048, 20);  // such a block does not exist
    Profile p = t.finish();
    const Analysis a = analyze(p, {});
    ASSERT_EQ(a.waves.size(), 3u);
    EXPECT_DOUBLE_EQ(a.waves[0], 2.5);
    EXPECT_DOUBLE_EQ(a.waves[1], 1);
    EXPECT_DOUBLE_EQ(a.waves[2], -1);
    EXPECT_DOUBLE_EQ(a.occupancy_pct[0], 50);
}

}  // namespace
}  // namespace opsight::analyze
