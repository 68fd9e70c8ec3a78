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

TEST(MemoryAtPeak, IsEmptyWithoutEvents) {
    const StoredProfile stored = made({}, 0);
    Session session = stored.open();
    EXPECT_TRUE(held_at_peak(session, {})->rows.empty());
}

}  // namespace
}  // namespace opsight::query
