#include "query/reports/memory.h"

#include <gtest/gtest.h>

#include "query/reports/advice_work.h"
#include "query/reports/test_reports.h"

namespace opsight::query {
namespace {

struct Block {
    int64_t time, address, bytes;
    const char* stack = "";
};

StoredProfile made(const std::vector<Block>& blocks, int64_t before, int64_t op_end = 1) {
    analyze::TestProfile t;
    t.op("aten::empty", 0, op_end);
    t.annotation("run", 0, 1000, t.thread());
    int64_t total = before;
    for (const Block& each : blocks) {
        MemoryEvent event;
        event.time = each.time;
        event.track = t.thread();
        event.address = each.address;
        event.bytes = each.bytes;
        event.total_allocated = total += each.bytes;
        event.device_type = 1;
        event.device = 0;
        event.stack = t.builder.text(each.stack);
        t.builder.add_memory(event);
    }
    return StoredProfile(std::move(t));
}

// A snapshot: changes of memory, and at most ranges that the program names. Its time is that of all changes.
TEST(MemoryAtPeak, ASnapshotIsTheWholeRun) {
    for (const bool range : {false, true}) {
        analyze::TestProfile t;
        if (range) t.annotation("short", 0, 15, t.thread());
        int64_t total = 0;
        for (const auto& [time, bytes] : {std::pair<int64_t, int64_t>{10, 1}, {200, 2}, {300, -2}}) {
            MemoryEvent event;
            event.time = time;
            event.track = t.thread();
            event.address = 8 + std::abs(bytes);
            event.bytes = bytes;
            event.stack = t.builder.text("forward (train.py:10)");
            event.total_allocated = total += bytes;
            event.device_type = 1;
            event.device = 0;
            t.builder.add_memory(event);
        }
        const StoredProfile stored(std::move(t));
        Session session = stored.open({.whole = true});
        const auto peak = memory_at_peak(session, 0);
        ASSERT_TRUE(peak) << peak.error().message();
        ASSERT_EQ(peak->size(), 1u) << range;
        EXPECT_EQ(peak->front().bytes, 3) << range;
    }
}

constexpr const char* kForward =
    "forward (/usr/lib/python3/dist-packages/torch/nn/linear.py:114)\nforward "
    "(/opt/net/model.py:17)\n<module> (train.py:4)";
constexpr const char* kNative = "at::empty (??:0)\n<frozen main> (<string>:1)";

// At the peak (time 30) 40 + 25 bytes of forward live, 7 of native code, and 100 that were there before.
TEST(MemoryAtPeak, NamesTheProgramsOwnLines) {
    const StoredProfile stored = made({{10, 1, 40, kForward},
                                       {15, 2, 500, kNative},
                                       {16, 2, -500, kNative},
                                       {20, 3, 7, kNative},
                                       {30, 2, 600, kForward},
                                       {30, 2, -600, kForward},
                                       {30, 2, 625, kForward},
                                       {40, 1, -40, kForward},
                                       {50, 4, 30, ""}},
                                      100);
    Session session = stored.open();
    const auto table = held_at_peak(session, {});
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 3u);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "forward (/opt/net/model.py:17)")), 665);
    EXPECT_EQ(number(cell(*table, "allocations", "holder_name", "forward (/opt/net/model.py:17)")), 2);
    EXPECT_EQ(number(cell(*table, "largest_bytes", "holder_name", "forward (/opt/net/model.py:17)")), 625);
    EXPECT_NEAR(number(cell(*table, "share_pct", "holder_name", "forward (/opt/net/model.py:17)")),
                100 * 665 / 772.0, 1e-9);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "at::empty (??:0)")), 7);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "allocated before the recording")), 100);
}

TEST(MemoryAtPeak, NamesTheOpWhereNoStackIsTold) {
    const StoredProfile stored = made({{10, 1, 40}, {60, 2, 2}}, 0, 50);
    Session session = stored.open();
    const auto table = held_at_peak(session, {});
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "aten::empty")), 40);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "not told")), 2);
}

// The end of the first block was not recorded: 1000 bytes cannot live where 50 are allocated.
TEST(MemoryAtPeak, MoreThanTheTotalCannotLive) {
    const StoredProfile stored = made({{10, 1, 1000}, {20, 2, 50}}, -1000, 50);
    Session session = stored.open();
    const auto table = held_at_peak(session, {});
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 1u);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name",
                          "not told: more was never freed than the source says is allocated")),
              50);
    EXPECT_EQ(number(cell(*table, "share_pct", "device", "0")), 100);
}

// Traces of older PyTorch: whether an allocation still lives cannot be told, and nothing was there before.
TEST(MemoryAtPeak, SaysThatAddressesAreMissing) {
    const StoredProfile stored = made({{10, 0, 40}, {20, 0, 50}, {30, 0, -40}}, 0, 50);
    Session session = stored.open();
    const auto table = held_at_peak(session, {});
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 1u);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "not told: the source gives no addresses")), 90);
}

struct Change {
    int64_t step, address, bytes, total = -1;
};

// Steps 0, 1, 20 and 21 of 100 us, of which the recording pauses for the middle ones.
StoredProfile paused(const std::vector<Change>& changes) {
    analyze::TestProfile t;
    for (const int64_t i : {0, 1, 20, 21}) {
        t.annotation("ProfilerStep#" + std::to_string(i), 100'000 * i, 100'000, t.thread());
        t.op("aten::empty", 100'000 * i + 1'000, 80'000);
    }
    for (const Change& each : changes) {
        MemoryEvent event;
        event.time = 100'000 * each.step + 2'000 + each.address;
        event.track = t.thread();
        event.address = each.address;
        event.bytes = each.bytes;
        event.total_allocated = each.total;
        event.device_type = 1;
        event.device = 0;
        t.builder.add_memory(event);
    }
    return StoredProfile(std::move(t));
}

// Whether the first block was freed in the pause nobody told: 40 and 50 bytes are never held at once for
// sure.
TEST(MemoryAtPeak, ChangesAreAddedUpAnewAfterAPause) {
    const StoredProfile stored = paused({{0, 1, 40}, {20, 2, 50}, {21, 2, -50}, {21, 3, 30}});
    Session session = stored.open({.all = true});
    const auto peak = peak_memory(session);
    ASSERT_TRUE(peak) << peak.error().message();
    EXPECT_EQ(number(cell(*peak, "allocated_bytes", "device", "0")), 50);
    const auto table = held_at_peak(session, {});
    ASSERT_TRUE(table) << table.error().message();
    ASSERT_EQ(table->rows.size(), 1u);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "aten::empty")), 50);
    const auto devices = memory_over_time(session);
    ASSERT_TRUE(devices);
    EXPECT_EQ(devices->at(0).whole.allocated, 50);
    EXPECT_TRUE(devices->at(0).anew_after_pauses);
    EXPECT_EQ(added_up_note(session).value(),
              "memory is told by its changes, not as totals: peaks add them up from the first one on, and "
              "anew after "
              "each pause of the recording, and what was allocated before is in none");
    // What was held before the pause is not known to be held in the steps behind it.
    Session later = stored.open({.start = 3, .stop = 3});
    EXPECT_EQ(number(cell(*peak_memory(later), "allocated_bytes", "device", "0")), 50);
}

// As gradients that the first step after the pause sets to none.
TEST(MemoryAtPeak, WhatIsFreedOfBeforeAPauseTakesNothingOff) {
    const StoredProfile stored =
        paused({{0, 1, 4000}, {1, 2, 100}, {20, 1, -4000}, {20, 3, 1000}, {21, 4, 500}, {21, 4, -500}});
    Session later = stored.open({.start = 2, .stop = 3});
    EXPECT_EQ(number(cell(*peak_memory(later), "allocated_bytes", "device", "0")), 1500);
    const StoredProfile freed = paused({{0, 1, 4000}, {20, 1, -4000}});
    Session nothing = freed.open({.start = 2, .stop = 3});
    EXPECT_NE(added_up_note(nothing).value(), "");
}

// The picture has a gap there; one that is shorter than its parts cannot be seen.
TEST(MemoryOverTime, TellsThePausesThatThePictureShows) {
    const StoredProfile stored = paused({{0, 1, 40}, {20, 2, 50}, {21, 3, 30}});
    Session session = stored.open({.all = true});
    const auto pauses = memory_pauses(session);
    ASSERT_TRUE(pauses) << pauses.error().message();
    ASSERT_EQ(pauses->size(), 1u);
    EXPECT_GE(pauses->at(0).begin_ns, 200'000);
    EXPECT_EQ(pauses->at(0).end_ns, 2'000'000);
    const StoredProfile before = paused({{0, 1, 40}, {0, 2, 50}});
    Session early = before.open({.all = true});
    EXPECT_EQ(memory_pauses(early)->size(), 0u) << "no event behind it";
    const StoredProfile within = paused({{0, 1, 40}, {20, 2, 50}, {100'000, 3, 30}});
    Session much = within.open({.all = true});
    EXPECT_EQ(memory_pauses(much)->size(), 0u) << "1.8 ms of 10 s";
}

TEST(MemoryAtPeak, WhatWasFreedInAPauseIsNotHeldAfterIt) {
    const StoredProfile stored = paused({{0, 1, 40, 40}, {20, 2, 50, 60}, {21, 2, -50, 10}});
    Session session = stored.open({.all = true});
    const auto table = held_at_peak(session, {});
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name", "aten::empty")), 50);
    EXPECT_EQ(number(cell(*table, "bytes", "holder_name",
                          "allocated before the recording, or before or in a pause of it")),
              10);
    EXPECT_EQ(added_up_note(session).value(), "");
    EXPECT_FALSE(memory_over_time(session)->at(0).anew_after_pauses);
}

TEST(MemoryAtPeak, IsEmptyWithoutEvents) {
    const StoredProfile stored = made({}, 0);
    Session session = stored.open();
    EXPECT_TRUE(held_at_peak(session, {})->rows.empty());
}

}  // namespace
}  // namespace opsight::query
