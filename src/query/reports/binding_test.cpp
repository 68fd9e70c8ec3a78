#include "query/reports/binding.h"

#include <gtest/gtest.h>

#include "query/session/test_session.h"

namespace opsight::query {
namespace {

// Of 1000 ns a device is at work for `dur`.
Binding binding(int64_t dur) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 1000);
    if (dur > 0) t.kernel("k<4>", 0, dur, t.stream());
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    auto found = what_binds(session);
    if (!found) ADD_FAILURE() << found.error().message();
    return found ? *found : Binding();
}

TEST(Binding, TheDeviceWhereItWorksForHalfOfTheTime) {
    EXPECT_FALSE(binding(500).host);
    EXPECT_NE(binding(500).words.find("50.0% of the wall clock: rows go by time on the GPU"),
              std::string::npos);
    EXPECT_TRUE(binding(400).host);
    EXPECT_NE(binding(400).words.find("rows go by time on the CPU"), std::string::npos);
    EXPECT_TRUE(binding(0).words.empty());
}

bool explain(const char* range, int64_t dur) {
    analyze::TestProfile t;
    t.op("aten::add", 0, 1000);
    t.annotation(range, 0, dur, t.thread(2));
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    return ranges_explain(session).value_or(false);
}

// A range of 50 of 1000 ns on each of four ranks holds a twentieth, not a fifth.
TEST(Binding, RangesOfAllRanksAreOfTheTimeOfAllRanks) {
    analyze::TestProfile t;
    for (int64_t rank = 0; rank < 4; ++rank) {
        if (rank > 0) t.add_rank(rank);
        t.op("aten::add", 0, 1000, t.thread(1, 100 + rank));
        t.annotation("forward", 0, 50, t.thread(2, 100 + rank));
    }
    const StoredProfile stored(std::move(t));
    Session session = stored.open();
    EXPECT_FALSE(ranges_explain(session).value_or(true));
}

TEST(Binding, RangesExplainWhereTheyHoldATenthAndAreNoOps) {
    EXPECT_TRUE(explain("forward", 200));
    EXPECT_FALSE(explain("forward", 50));
    EXPECT_FALSE(explain("aten::add, op_id = 7", 900));
}

}  // namespace
}  // namespace opsight::query
