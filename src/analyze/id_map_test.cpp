#include "analyze/id_map.h"

#include <gtest/gtest.h>

#include <limits>

namespace opsight::analyze {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();

size_t count_of(const IdMap& map, int64_t id) {
    const auto [first, last] = map.find(id);
    return static_cast<size_t>(last - first);
}

TEST(IdMap, TakesIdsAtTheEndsOfTheirRange) {
    for (const int64_t lowest : {kLeast, int64_t{-1}, int64_t{0}, int64_t{1}, kMost - 3}) {
        const IdMap map({{lowest, 0}, {lowest + 1, 1}, {lowest + 1, 2}, {lowest + 3, 3}});
        EXPECT_EQ(count_of(map, lowest), 1u);
        EXPECT_EQ(count_of(map, lowest + 1), 2u);
        EXPECT_EQ(count_of(map, lowest + 2), 0u);
        EXPECT_EQ(count_of(map, lowest + 3), 1u);
        for (const int64_t other : {kLeast, kMost, int64_t{5000}})
            EXPECT_EQ(count_of(map, other), other == lowest || other == lowest + 3 ? 1u : 0u) << lowest;
    }
}

TEST(IdMap, TakesScatteredIds) {
    const IdMap map({{kLeast, 0}, {kMost, 1}, {0, 2}, {kMost, 3}});
    EXPECT_EQ(count_of(map, kLeast), 1u);
    EXPECT_EQ(count_of(map, kMost), 2u);
    EXPECT_EQ(count_of(map, 1), 0u);
}

}  // namespace
}  // namespace opsight::analyze
