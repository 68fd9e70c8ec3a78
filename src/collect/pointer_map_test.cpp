#include "collect/pointer_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace opsight::collect {
namespace {

TEST(PointerMap, KnowsWhatAMapKnows) {
    PointerMap<int> map;
    std::map<const void*, int*> truth;
    std::mt19937 random(7);
    std::vector<int> values(500);
    EXPECT_EQ(map.find(&values), nullptr);
    for (int i = 0; i < 20'000; ++i) {
        // As objects lie: at multiples of 16, some of them again and again.
        const auto* key =
            reinterpret_cast<const void*>(uintptr_t{0x7f0000000000} + 16 * (random() % 700 + 1));
        int* value = &values[random() % values.size()];
        if (random() % 3) {
            ASSERT_TRUE(map.insert(key, value));
            truth[key] = value;
        } else {
            map.erase(key);
            truth.erase(key);
        }
        const auto* other =
            reinterpret_cast<const void*>(uintptr_t{0x7f0000000000} + 16 * (random() % 700 + 1));
        const auto known = truth.find(other);
        ASSERT_EQ(map.find(other), known == truth.end() ? nullptr : known->second);
        ASSERT_EQ(map.size(), truth.size());
    }
}

}  // namespace
}  // namespace opsight::collect
