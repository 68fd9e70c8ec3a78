#include "query/reports/viewer_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "query/session/test_session.h"

namespace opsight::query {
namespace {

// Three steps of two ops each, with a range for the optimizer and one that is there once.
analyze::TestProfile optimizer_steps() {
    analyze::TestProfile made;
    made.annotation("whole run", 0, 3000, made.thread());
    for (int64_t i = 0; i < 3; ++i) {
        made.op("aten::mm", i * 1000 + 100, 300);
        made.annotation("Optimizer.step#SGD.step", i * 1000 + 600, 200, made.thread());
    }
    return made;
}

TEST(MemoryKinds, OfAmdIsOfAGpu) {
    const StoredProfile stored(analyze::TestProfile{});
    Session session = stored.open();
    for (const auto& [type, kind] :
         {std::pair(0, "CPU"), std::pair(1, "GPU"), std::pair(6, "GPU"), std::pair(2, "other")})
        EXPECT_EQ(value_of(session, fmt::format("SELECT memory_place({})", type)), duck::Cell(kind));
}

TEST(KeyOps, HoldRangesThatAreThereMoreThanOnce) {
    const StoredProfile stored(optimizer_steps());
    Session session = stored.open({});
    const auto table = key_ops(session, {}, {});
    ASSERT_TRUE(table.has_value());
    std::map<std::string, std::pair<std::string, int64_t>> found;
    for (const auto& row : table->rows)
        found[std::get<std::string>(row[0])] = {std::get<std::string>(row[1]), std::get<int64_t>(row[2])};
    EXPECT_EQ(found["aten::mm"], std::pair(std::string("op"), int64_t{3}));
    EXPECT_EQ(found["Optimizer.step#SGD.step"], std::pair(std::string("range"), int64_t{3}));
    EXPECT_FALSE(found.contains("whole run"));
    EXPECT_EQ(stored.open({.key_op = "Optimizer.step#SGD.step"}).range().total, 3);
}

}  // namespace
}  // namespace opsight::query
