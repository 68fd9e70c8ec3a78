#include "store/string_pool.h"

#include <gtest/gtest.h>

namespace opsight {
namespace {

TEST(StringPool, InternsEachTextOnce) {
    StringPool pool;
    const StringId a = pool.intern("aten::add");
    EXPECT_EQ(pool.intern(std::string("aten::") + "add"), a);
    EXPECT_NE(pool.intern("aten::mul"), a);
    EXPECT_EQ(pool.view(a), "aten::add");
    EXPECT_EQ(pool.find("aten::sub"), StringId());
}

TEST(StringPool, EmptyTextIsIdZero) {
    StringPool pool;
    EXPECT_EQ(pool.intern("").value, 0u);
    EXPECT_EQ(pool.view(StringId()), "");
}

TEST(StringPool, ViewsSurviveGrowthAndLongTexts) {
    StringPool pool;
    const std::string_view first = pool.view(pool.intern("first"));
    const std::string huge(size_t{1} << 20, 'x');
    EXPECT_EQ(pool.view(pool.intern(huge)), huge);
    for (int i = 0; i < 100000; ++i)
        pool.intern("name " + std::to_string(i));
    EXPECT_EQ(first, "first");
    EXPECT_EQ(pool.view(pool.find("name 99999")), "name 99999");
}

}  // namespace
}  // namespace opsight
