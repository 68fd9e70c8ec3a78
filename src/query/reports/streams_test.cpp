// Streams, waves and occupancy in reports, for any range.
#include <gmock/gmock.h>

#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

// Four iterations of 1000 ns. Each launches on stream 7, at +100, +110 and +500: kernels at +150 (100 ns), at
// +260 (40 ns: 10 ns after the first) and, when those have ended, at +520 (50 ns).
analyze::TestProfile launching_steps() {
    analyze::TestProfile t;
    Device& gpu = t.gpu(0, "Tesla V100-SXM2-16GB", 7, 0);
    gpu.sm_count = 80;
    const TrackId thread = t.thread(), stream = t.stream();
    int64_t id = 0;
    const auto launch = [&](int64_t at, int64_t begin, int64_t dur, int64_t blocks) {
        t.api("cudaLaunchKernel", at, 5, thread, ++id);
        LaunchConfig config{.grid = {blocks, 1, 1},
                            .block = {1024, 1, 1},
                            .registers_per_thread = blocks == 200 ? 64 : 32,
                            .static_shared_bytes = 0,
                            .dynamic_shared_bytes = 0};
        DeviceSpan s;
        s.begin = begin;
        s.dur = dur;
        s.track = stream;
        s.kind = DeviceKind::kKernel;
        s.correlation = id;
        s.config = t.builder.launch_config(config);
        t.device(s, "k");
    };
    for (int64_t at = 0; at < 4000; at += 1000) {
        t.annotation("ProfilerStep#" + std::to_string(at / 1000), at, 1000, thread);
        t.op("aten::mm", at + 50, 600, thread);
        launch(at + 100, at + 150, 100, 200);
        launch(at + 110, at + 260, 40, 160);
        launch(at + 500, at + 520, 50, 160);
    }
    return t;
}

void expect_middle(Session& session) {
    const ResultTable streams = table_of(session, "summary", "streams");
    ASSERT_EQ(streams.rows.size(), 1u);
    EXPECT_EQ(number(cell(streams, "spans")), 6);
    EXPECT_EQ(number(cell(streams, "busy_ns")), 2 * 190);
    // From the begin to +150, from +300 to +520, and from +570 to the end.
    EXPECT_EQ(number(cell(streams, "host_wait_ns")), 2 * (150 + 220 + 430));
    EXPECT_EQ(number(cell(streams, "queued_wait_ns")), 2 * 10);
    EXPECT_EQ(number(cell(streams, "other_wait_ns")), 0);
    EXPECT_EQ(number(cell(streams, "queue_depth_max")), 2);
    // Launch to end: 150, 190 and 70. Wall clock: the two steps, from 1000 to 3000.
    EXPECT_NEAR(number(cell(streams, "queue_depth_mean")), 2 * (150 + 190 + 70) / 2000.0, 1e-12);
    // 1024 threads of 64 registers fill half of the 2048 places; of 32 registers all.
    EXPECT_NEAR(number(cell(streams, "occupancy_pct")), (50.0 * 100 + 100.0 * 90) / 190, 1e-9);
}

TEST(StreamReport, ARangeOfStoredIterations) {
    const StoredProfile stored(launching_steps());
    Session session = stored.open({.start = 1, .stop = 2});
    expect_middle(session);
}

TEST(StreamReport, ARangeOfIterationsCutAnew) {
    const StoredProfile stored(launching_steps());
    Session session = stored.open({.start = 1, .stop = 2, .iteration_range = "^ProfilerStep"});
    expect_middle(session);
}

TEST(StreamReport, ViewsOfTheWholeProfile) {
    const StoredProfile stored(launching_steps());
    Session session = stored.open();
    EXPECT_EQ(number(value_of(session, "SELECT busy_ns FROM streams")), 4 * 190);
    EXPECT_EQ(number(value_of(session, "SELECT host_wait_ns FROM streams")), 4 * 220 + 3 * 580);
    EXPECT_EQ(number(value_of(session, "SELECT host_wait_ns FROM stream_stats WHERE iteration = 0")),
              220 + 430);
    EXPECT_EQ(number(value_of(session, "SELECT count(*) FROM stream_stats")), 4);
}

TEST(StreamReport, WavesAndTailOfKernels) {
    const StoredProfile stored(launching_steps());
    Session session = stored.open();
    const ResultTable kernels = table_of(session, "kernel");
    // Waves: 200 / (80 x 1) = 2.5 for 100 ns, and 160 / (80 x 2) = 1 for 90 ns; the tail of 2.5 is 0.5 of 3.
    EXPECT_NEAR(number(cell(kernels, "waves")), (2.5 * 100 + 1.0 * 90) / 190, 1e-9);
    EXPECT_NEAR(number(cell(kernels, "tail_pct")), 100.0 / 6 * 100 / 190, 1e-9);
    EXPECT_NEAR(number(value_of(session, "SELECT max(tail_pct) FROM kernels")), 100.0 / 6, 1e-9);
    EXPECT_NEAR(number(value_of(session, "SELECT max(waves) FROM kernels")), 2.5, 1e-12);
}

TEST(StreamReport, UnknownLimitsLeaveFieldsEmpty) {
    analyze::TestProfile t;
    t.op("aten::mm", 0, 100);
    t.kernel("k", 10, 10, t.stream());
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_TRUE(is_empty(cell(table_of(session, "kernel"), "waves")));
    EXPECT_TRUE(is_empty(cell(table_of(session, "kernel"), "tail_pct")));
    EXPECT_TRUE(is_empty(cell(table_of(session, "summary", "streams"), "occupancy_pct")));
}

}  // namespace
}  // namespace opsight::query
